//! Typed identifiers. A bare `Uuid` or `i64` does not travel past the edge of a surface.

use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;
use uuid::Uuid;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

uuid_id!(
    /// An invoice document, as the platform names it.
    InvoiceId
);
uuid_id!(
    /// An API client: the `client_id` of its credentials and the `sub` of its tokens.
    ClientId
);
uuid_id!(
    /// A booking of the platform.
    BookingId
);
uuid_id!(
    /// A product group of the catalog.
    ProductGroupId
);
uuid_id!(
    /// A product: what is sold under a product group.
    ProductId
);
uuid_id!(
    /// A building with units.
    BuildingId
);
uuid_id!(
    /// A kind of unit in a building.
    UnitTypeId
);
uuid_id!(
    /// Something a unit may offer.
    AmenityId
);
uuid_id!(
    /// A unit that guests stay in; the legacy API calls it a property.
    UnitId
);
uuid_id!(
    /// A picture or film of a unit.
    MediaItemId
);
uuid_id!(
    /// The way a unit is priced.
    RatePlanId
);
uuid_id!(
    /// A price for some nights of a rate plan.
    TariffId
);
uuid_id!(
    /// What is written about a booking.
    ConversationId
);
uuid_id!(
    /// One message of a conversation.
    MessageId
);
uuid_id!(
    /// A person who works with the platform.
    UserId
);
uuid_id!(
    /// A team of users.
    TeamId
);
uuid_id!(
    /// Something to be done.
    TaskId
);
uuid_id!(
    /// An event, for deduplication by consumers.
    EventId
);
uuid_id!(
    /// A piece of background work.
    JobId
);
uuid_id!(
    /// An amendment of an issued document.
    AmendmentId
);
uuid_id!(
    /// A file that people keep beside a document.
    AttachmentId
);
uuid_id!(
    /// A run of the reconciliation with the provider.
    ReconciliationId
);
uuid_id!(
    /// A registered webhook: where a customer wants to be told of changes.
    WebhookId
);
uuid_id!(
    /// An event on its way to one webhook.
    DeliveryId
);

/// A cancelation policy: kept elsewhere, and named as it is there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct CancelationPolicyId(pub String);

impl fmt::Display for CancelationPolicyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A workspace: the tenant, and the supplier of its invoices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(minimum = 1, maximum = 2_147_483_647)]
pub struct WorkspaceId(pub i64);

impl WorkspaceId {
    /// The greatest: clients read ids as whole numbers of 32 bits.
    pub const MAX: Self = Self(2_147_483_647);

    /// Whether a workspace can have this id.
    pub const fn is_possible(self) -> bool {
        1 <= self.0 && self.0 <= Self::MAX.0
    }
}

impl fmt::Display for WorkspaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The provider takes only time-ordered identifiers (specification, Conversion 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the provider takes UUID version 7 only, {0} is another version")]
pub struct NotVersion7(pub Uuid);

macro_rules! version7_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        #[serde(try_from = "Uuid", into = "Uuid")]
        #[schema(value_type = Uuid)]
        pub struct $name(Uuid);

        impl $name {
            /// The identifier on the wire.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl TryFrom<Uuid> for $name {
            type Error = NotVersion7;

            fn try_from(id: Uuid) -> Result<Self, NotVersion7> {
                if id.get_version_num() == 7 { Ok(Self(id)) } else { Err(NotVersion7(id)) }
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

version7_id!(
    /// The provider's silo entry of an invoice.
    EntryId
);
version7_id!(
    /// One run of the provider's workflow: one attempt of a submission.
    ProviderJobId
);
