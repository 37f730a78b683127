"""What all tests share."""

import signal

# A shell starts its background jobs with interrupts ignored, and programs that they start inherit that. Tests interrupt
# themselves and programs, in the background as well.
signal.signal(signal.SIGINT, signal.default_int_handler)
