//! The catalog: product groups with the windows in which contracts may lie, and the products in them.

mod form;
mod group;
mod window;

pub use form::{ProductGroupChange, ProductGroupForm, PublishingChange};
pub use group::{
    ActivationState, Product, ProductGroup, ProductGroupFilter, ProductSegment, PublishState, Publishing,
};
pub use window::{AcademicYear, ContractWindow, NotAnAcademicYear, OutsideWindow};

/// Most product groups whose state is set at once.
pub const STATE_IDS_MAX: usize = 100;
