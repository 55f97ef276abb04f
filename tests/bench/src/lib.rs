//! What benchmarks share: a document with any number of lines, rounds and quartiles, and what a process takes.

mod measure;
mod sample;

pub use measure::{Usage, lines, peak_while, psql, quartiles_text, rounds, usage};
pub use sample::Sample;

use std::error::Error;

/// Why something cannot be measured.
pub type Failed = Box<dyn Error + Send + Sync>;
