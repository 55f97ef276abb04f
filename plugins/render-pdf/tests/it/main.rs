//! What comes out of the renderer, and what it refuses.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

mod faults;
mod files;
mod look;
mod properties;
mod samples;
