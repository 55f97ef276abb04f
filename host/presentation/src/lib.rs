//! How pages show things, and what was typed into their forms: pure, so that it is tried without a page.
//!
//! | module | what it holds |
//! |---|---|
//! | `format` | figures, times and names as people read them; query strings |
//! | `advice` | what to do about an alert, and the page where it is done |
//! | `done` | what the form before did, as the next page says it |
//! | `charts` | values over time as paths of SVG |
//! | `faults` | complaints by the part of a document's page that they mean |
//! | `qr` | QR codes as pictures of SVG |
//! | `taxes`, `reports` | what taxes are called, and what documents come to, as tables |
//! | `highlight` | JSON and XML as coloured HTML |
//! | `page_links` | from a page of a list to the others of it |
//! | `fields`, `choices` | what was typed into a form, and what a list of it offers |
//! | `typed_client`, `typed_recipient`, `typed_verdict`, `typed_workspace` | what a form shows of them, stored or as it was typed |
//! | `document_parts`, `document_row` | a document on its page, part by part, and in a list |
//! | `document_action` | what can be done about a document, and what its button says |
//! | `amendments` | how far the amendments of a document are |
//! | `annotations`, `recipient_check` | what people keep beside a document, and what was known of its recipient |
//! | `document_forms` | what was typed into the forms of documents, as commands take it |
//! | `timeline` | what happened to a document, in words |
//! | `mistakes` | what is wrong with a member of a form, and what a page that refuses is called |
//! | `settings_form` | a form out of a JSON Schema, and the settings that were typed into it |
//!
//! To show another kind of value: a function in `format`, with a test of its edges.
//!
//! Not here: pages, templates, HTTP and services (`gateway-console`).

mod advice;
mod amendments;
mod annotations;
pub mod charts;
mod choices;
mod document_action;
pub mod document_forms;
pub mod document_parts;
mod document_row;
mod done;
pub mod faults;
mod fields;
pub mod format;
pub mod highlight;
pub mod mistakes;
mod page_links;
pub mod qr;
mod recipient_check;
pub mod reports;
pub mod settings_form;
pub mod taxes;
pub mod timeline;
mod typed_client;
mod typed_recipient;
mod typed_verdict;
mod typed_workspace;

pub use advice::Advice;
pub use amendments::AmendmentRow;
pub use annotations::{AnnotationsPart, AttachmentRow};
pub use choices::{Choice, choices};
pub use document_action::Action;
pub use document_row::DocumentRow;
pub use done::Done;
pub use fields::{Fields, decimal_point};
pub use mistakes::InvalidMembers;
pub use page_links::{ListAddress, PageLinks};
pub use recipient_check::{RecipientCheckPart, recipient_checks};
pub use typed_client::{PermissionBox, TypedClient, workspaces_as_typed};
pub use typed_recipient::TypedRecipient;
pub use typed_verdict::{TypedVerdict, earlier_numbers};
pub use typed_workspace::TypedWorkspace;
