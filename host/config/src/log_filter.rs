//! What `log.filter` says.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

/// Reads the directives of `log.filter`.
pub fn log_filter(directives: &str) -> Result<EnvFilter, ParseError> {
    EnvFilter::builder().parse(directives)
}
