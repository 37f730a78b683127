//! The problems that Soloist ships.
