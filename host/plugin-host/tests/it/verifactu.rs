//! The Spanish plugin as it is installed.
