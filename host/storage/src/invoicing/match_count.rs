//! How many rows match a text, as far as it matters to how they are found.

/// How many rows match a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MatchCount {
    /// Each is looked up.
    #[default]
    Few,
    /// The list is read in its order, in which the next of so many is near.
    Many,
}

impl MatchCount {
    /// By whether there are more than are looked up.
    pub(crate) const fn of(is_beyond: bool) -> Self {
        if is_beyond { Self::Many } else { Self::Few }
    }
}
