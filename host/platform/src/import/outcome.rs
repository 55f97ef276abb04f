//! What becomes of lines.

/// What became of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    Created,
    Changed,
    Unchanged,
    /// Why it was passed over.
    Refused(String),
}

/// A line, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineOutcome {
    pub(super) line: u64,
    pub(super) kind: &'static str,
    pub(super) outcome: Outcome,
    /// What is odd about a line that was stored.
    pub(super) remark: Option<String>,
}
