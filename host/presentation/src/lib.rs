//! How pages show things, and what was typed into their forms: pure, so that it is tried without a page.
//!
//! | module | what it holds |
//! |---|---|
//! | `format` | figures, times and names as people read them; query strings |
//! | `charts` | values over time as paths of SVG |
//! | `faults` | complaints by the part of a document's page that they mean |
//! | `highlight` | JSON and XML as coloured HTML |
//! | `fields`, `choices` | what was typed into a form, and what a list of it offers |
//! | `settings_form` | a form out of a JSON Schema, and the settings that were typed into it |
//!
//! To show another kind of value: a function in `format`, with a test of its edges.
//!
//! Not here: pages, templates, HTTP and services (`gateway-console`).

pub mod charts;
mod choices;
pub mod faults;
mod fields;
pub mod format;
pub mod highlight;
pub mod settings_form;

pub use choices::{Choice, choices};
pub use fields::Fields;
