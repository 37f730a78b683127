#!/usr/bin/env bash
# An array of HyperQueue tasks that search the same instance and exchange solutions by a shared folder:
#
#   hq submit --array 0-31 --cpus 1 --crash-limit 100 ./hyperqueue.sh samegame board.txt runs --time 24h
#
# A task that is lost with its worker is started again by HyperQueue, and goes on from its file.
set -euo pipefail
problem=$1 instance=$2 folder=$3
shift 3
exec soloist solve "$problem" "$instance" --share "$folder" --worker auto --quiet --json "$@"
