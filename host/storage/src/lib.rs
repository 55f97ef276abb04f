//! The tables and their statements: one folder per area, one file per aggregate, every statement known by name. How they run on
//! either engine is `gateway-database`'s.
//!
//! [`Db`] is PostgreSQL or SQLite; nobody above this crate asks which. Reads go through [`Db`] or a [`Tx`]; what
//! changes something takes a [`Tx`], so that state, events and jobs commit together. Tenancy is in the signatures:
//! no document is looked up without the workspaces the caller may see.
//!
//! | area | holds |
//! |---|---|
//! | [`gateway_storage_access`] | clients, sessions, signing keys, the audit trail, answers by idempotency key, uses of the legacy API; shown here too |
//! | `workspaces` | workspaces, how each sends its invoices, and how its documents look |
//! | `invoicing` | documents, their numbers and series, references and refunds, the export scope |
//! | [`gateway_storage_documents`] | the numbers of series in order, files of documents that another system issued, the order of new rows in lists; shown here too |
//! | `finance` | submissions with attempts and messages, intents, correctives, copies of documents, alerts of the watchdog |
//! | [`gateway_storage_platform`] | catalog, spaces, units, rates, bookings, conversations, tasks, accounts; shown here too |
//! | `events`, `webhooks` | the event log, which is the outbox, and its notices that wait to be mailed; endpoints and deliveries of webhooks |
//! | [`gateway_storage_plugins`] | versions of plugins and of renderers, and which serves whom; shown here too |
//! | [`gateway_storage_provider`] | what the stand-in keeps, runs of the reconciliation, amendments, deadlines and outages; shown here too |
//! | `jobs`, `sandbox` | background work and leases; what the stand-in provider keeps |
//!
//! Other crates name an aggregate without its area: `gateway_storage::submissions`. Inside, paths name the area.
//!
//! Not here: rules (the domain crates), secrets in the clear (sealed bytes come in and go out), time and identifiers
//! (arguments).
//!
//! To add an aggregate: a migration of the same name in both folders, a module of its area with a `statements!` block,
//! its name among the re-exports here, one line in `catalogue`. The tests then prepare its statements on both engines
//! and compare the two schemas.
//!
//! While replicas are replaced, the previous release works with the newest schema: a migration adds, and what no statement
//! names any more is taken away a release later. A test prepares the statements of the previous release, kept in
//! `tests/previous`, with the newest schema. Once a release is out, keep its statements for the next one:
//! `GATEWAY_KEEP_STATEMENTS=1 cargo nextest run -p gateway-storage previous`, and commit the two files.

#[cfg(any(test, feature = "testing"))]
mod catalogue;
mod columns;
pub mod events;
mod finance;
mod invoicing;
pub mod jobs;
pub mod webhooks;
pub mod workspaces;

#[cfg(test)]
mod tests;

#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use events::mail;
pub use finance::{
    activity, attempts, booking_documents, correctives, destination, finance_documents, intents, issue_times,
    messages, submissions, watchdog,
};
pub use gateway_database::{
    Corrupt, Day, Db, Engine, Executor, Id, InstanceLock, OpenError, Options, Param, Record, Sql, Topic, Ts,
    Tx, failpoint, write_behind,
};
pub use gateway_storage_access::{audit, client_uses, clients, idempotency, keys, legacy_uses, sessions};
pub use gateway_storage_documents::{
    annotations, creation_clock, imported_files, number_chains, participant_checks, recipient_checks,
    reports, sums,
};
pub use gateway_storage_platform::{
    accounts, bookings, conversations, guest_verifications, persons, product_groups, products, profiles,
    rate_writes, rates, references, spaces, tasks, units,
};
pub use gateway_storage_plugins::{plugins, renderers};
pub use gateway_storage_provider::{
    amendments, evidence, filing_deadlines, outages, reconciliations, sandbox,
};
pub use gateway_storage_tables as tables;
pub use invoicing::{credits, export, invoice_lists, invoices, numbers};
pub use jobs::leases;
pub use webhooks::deliveries;
pub use workspaces::printing;
