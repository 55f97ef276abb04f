//! What remarks of an authority want.

use crate::Demand;

/// Which remarks that a record was accepted with want it amended, and by when: a gateway of release 1.10 shows it beside the document.
/// Asked of plugins that implement [`Amend`](crate::Amend); without it people decide.
///
/// ```
/// use einvoice_plugin::{Demand, Remarks};
/// struct Nowhere;
/// impl Remarks for Nowhere {
///     fn demands() -> Vec<Demand> {
///         vec![Demand::new("W-7", "The recipient's number is to be amended (act 7/2026, article 9).").within(4)]
///     }
/// }
/// assert_eq!(Nowhere::demands()[0].within_days, Some(4));
/// ```
pub trait Remarks {
    /// At most 300, each code once; a remark that is not listed wants nothing. Called once, when the plugin is loaded.
    fn demands() -> Vec<Demand>;
}

impl Demand {
    /// The law names no limit; `summary` is one sentence of at most 300 characters: what is to be amended, and where that is said.
    pub fn new(code: impl Into<String>, summary: impl Into<String>) -> Self {
        Self { code: code.into(), within_days: None, summary: summary.into() }
    }

    /// Days after the day of acceptance.
    #[must_use]
    pub fn within(self, days: u16) -> Self {
        Self { within_days: Some(days), ..self }
    }
}
