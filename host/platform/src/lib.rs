//! The platform's own data: catalog, spaces, pricing, bookings, conversations, users and tasks.
//!
//! Every operation takes who acts: what belongs to another workspace does not exist for them. What they may do at all
//! is asked by the surface, which knows under which permission it was called. A change, its audit entry and nothing
//! else commit together. Look-ups of many ids are one statement and answer a map, so that a surface can load for a
//! whole page at once.
//!
//! Not here: rules (`gateway-domain-platform`), SQL, permissions and HTTP (the surfaces).
//!
//! To add an operation: its statements in the module of `gateway-storage` for the area, a method of the
//! area's service here ([`Catalog`], [`Spaces`], …), which takes [`gateway_domain::access::Acting`] and passes its workspaces on, and a field of
//! `gateway-graphql` that asks for the permission. A new kind of data is imported in [`import`] and shown by [`sample`] too.

mod bookings;
mod catalog;
mod context;
mod conversations;
mod erasure;
mod identity;
pub mod import;
mod pricing;
pub mod sample;
mod spaces;
mod tasks;
mod unit_rates;
mod verification;

pub use bookings::{AvailabilityPage, Bookings, ListedBooking, UnitAvailability};
pub use catalog::Catalog;
pub use conversations::Conversations;
pub use erasure::{Erasure, ErasureCounts};
pub use identity::{Users, WhoAmI};
pub use import::Importer;
pub use pricing::Pricing;
pub use spaces::Spaces;
pub use tasks::Tasks;
pub use unit_rates::{NewRate, RatesError, WrittenRates};

use context::Context;
use gateway_domain::StoreError;
use gateway_domain::ports::{Clock, Ids};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::sentence;
use gateway_events::Events;
use gateway_invoicing::Documents;
use gateway_storage::Db;
use gateway_workspaces::Workspaces;
use std::fmt::Display;
use std::sync::Arc;

/// Things that an operation names and that do not exist for whoever acts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} {}", .ids.join(", "))]
pub struct NotFound {
    /// What they would be: `product group`.
    pub what: &'static str,
    /// The member that names them: `product_group_ids`.
    pub field: &'static str,
    /// As they were sent, each once, in order.
    pub ids: Vec<String>,
}

impl NotFound {
    fn one(what: &'static str, field: &'static str, id: impl Display) -> Self {
        Self { what, field, ids: vec![id.to_string()] }
    }
}

/// Why an operation on the platform's data was not carried out. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    /// Members have mistakes; at least one.
    #[error("{}", sentence(.0))]
    Invalid(Vec<FieldError>),
    /// Something that is named does not exist, or belongs to a workspace that the caller may not see.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Vec<FieldError>> for PlatformError {
    fn from(faults: Vec<FieldError>) -> Self {
        Self::Invalid(faults)
    }
}

impl PlatformError {
    fn invalid(field: &str, code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError::new(field, code, message)])
    }
}

/// Whether all that are named are known; the error names the others, each once, in order.
fn all_found<I: Copy + Ord + Display>(
    requested: &[I],
    known: impl Fn(&I) -> bool,
    what: &'static str,
    field: &'static str,
) -> Result<(), NotFound> {
    let mut ids: Vec<I> = requested.iter().copied().filter(|id| !known(id)).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return Ok(());
    }
    Err(NotFound { what, field, ids: ids.iter().map(ToString::to_string).collect() })
}

/// The services of the platform's own data, one for each area. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Platform {
    /// Product groups and products.
    pub catalog: Catalog,
    /// Units with their types, buildings, amenities and pictures, and the profiles of workspaces.
    pub spaces: Spaces,
    /// Rate plans and tariffs.
    pub pricing: Pricing,
    /// Bookings, what is free for them, and the vetting of their guests.
    pub bookings: Bookings,
    /// Conversations and their messages.
    pub conversations: Conversations,
    /// Users and teams.
    pub users: Users,
    /// Tasks.
    pub tasks: Tasks,
    /// Erases what is known of persons.
    pub erasure: Erasure,
    /// Takes platform data from files.
    pub importer: Importer,
}

impl Platform {
    /// The platform's data in `db`; what changes is told by `events`, and `workspaces` check the suppliers of an import.
    pub fn new(
        db: Db,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        events: Events,
        workspaces: Workspaces,
    ) -> Self {
        let context = Context::new(db, clock, ids, events);
        let spaces = Spaces::new(context.clone());
        Self {
            catalog: Catalog::new(context.clone()),
            pricing: Pricing::new(context.clone()),
            bookings: Bookings::new(context.clone(), spaces.clone()),
            conversations: Conversations::new(context.clone()),
            users: Users::new(context.clone()),
            tasks: Tasks::new(context.clone()),
            erasure: Erasure::new(context.clone()),
            importer: Importer::new(context, workspaces),
            spaces,
        }
    }

    /// With an import that also takes documents which another system issued, and keeps them among `documents`.
    #[must_use]
    pub fn with_documents(self, documents: Documents) -> Self {
        Self { importer: self.importer.with_documents(documents), ..self }
    }
}
