//! What taxes a document may have, and how its figures are rounded: as the tax system of its workspace says.

use gateway_domain::regime::{RegimeDescription, Rounding};

/// Which keys of taxes a document may use.
#[derive(Debug, Clone, Copy)]
pub enum TaxCheck<'a> {
    /// No regime is active in the workspace: any key that looks like one.
    Syntax,
    /// Only keys that this regime lists; where it lists none, none.
    Regime(&'a RegimeDescription),
}

impl TaxCheck<'_> {
    /// By which rule the figures of the document are rounded.
    pub const fn rounding(self) -> Rounding {
        match self {
            Self::Syntax => Rounding::Precise,
            Self::Regime(regime) => regime.rounding,
        }
    }
}
