//! What the platform keeps: catalog, spaces, prices, bookings with what is written and done about them, and people.
//!
//! `gateway-storage` shows these aggregates beside its own, and everybody names them there; its catalogue prepares their
//! statements, and its tests hold the plans of their lists.
//!
//! To add an aggregate: a migration of the same name in both folders, a module here with a `statements!` block, its name among the
//! re-exports of `gateway-storage`, one line in its `catalogue`. The test `every_module_with_statements_is_in_the_catalogue` there
//! tells that the line is missing.
//!
//! Not here: rules (`gateway-domain-platform`), how statements run (`gateway-database`).

pub mod accounts;
pub mod bookings;
pub mod conversations;
pub mod guest_verifications;
pub mod persons;
pub mod product_groups;
pub mod products;
pub mod profiles;
pub mod rate_writes;
pub mod rates;
pub mod references;
pub mod spaces;
pub mod tasks;
pub mod units;
