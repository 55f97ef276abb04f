//! Where two sides differ.

use gateway_domain_finance::bounded_text;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A member that the two sides do not say the same of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Divergence {
    /// `state`, `stamps`, or a JSON Pointer into the structured document; of a record of the authority `number`, `issue_date`,
    /// `total`, `fingerprint` or `state`.
    pub member: String,
    /// What is known here.
    pub here: String,
    /// What the provider shows, or the authority.
    pub there: String,
}

impl Divergence {
    pub(crate) fn new(member: &str, here: &dyn ToString, there: &dyn ToString) -> Self {
        let bounded = |text: String| bounded_text(&text);
        Self { member: member.to_owned(), here: bounded(here.to_string()), there: bounded(there.to_string()) }
    }
}
