//! The page that tells of a change of what is in force, before it is made and behind it.

use crate::page::Layout;
use askama::Template;
use gateway_registry::CanaryCheck;

#[derive(Template)]
#[template(path = "plugin_change.html")]
pub(crate) struct ChangePage<'a> {
    pub(crate) layout: Layout,
    pub(crate) heading: String,
    pub(crate) sentence: String,
    pub(crate) is_refused: bool,
    /// What may be done next.
    pub(crate) next: Option<NextStep>,
    /// What the check before an activation found; none where nothing was checked.
    pub(crate) check: Option<&'a CanaryCheck>,
}

/// A change that a page offers, which says whom it changes.
#[derive(Debug)]
pub(crate) struct NextStep {
    pub(crate) action: &'static str,
    pub(crate) title: String,
    pub(crate) is_dangerous: bool,
    /// What the form carries.
    pub(crate) fields: Vec<(&'static str, String)>,
}
