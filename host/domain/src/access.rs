//! Clients, what they may do and where, and who acts through them.

use crate::ids::{ClientId, WorkspaceId};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AnyOfBuilder, ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

macro_rules! permissions {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// One kind of operation a client may be allowed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Permission { $($(#[$doc])* $name,)* }

        impl Permission {
            /// Every permission there is.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// As written in commands and storage.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

permissions! {
    /// Everything.
    All = "*",
    /// Read product groups.
    CatalogRead = "catalog.read",
    /// Change product groups.
    CatalogWrite = "catalog.write",
    /// Read units.
    SpacesRead = "spaces.read",
    /// Change rate plans and tariffs.
    PricingWrite = "pricing.write",
    /// Read availability.
    AvailabilityRead = "availability.read",
    /// Read bookings.
    BookingsRead = "bookings.read",
    /// Note what is known about the guests of bookings.
    BookingsWrite = "bookings.write",
    /// Send messages.
    ConversationsWrite = "conversations.write",
    /// Read users.
    UsersRead = "users.read",
    /// Read tasks.
    TasksRead = "tasks.read",
    /// Read workspaces.
    WorkspacesRead = "workspaces.read",
    /// Read invoices through the public API.
    InvoicingRead = "invoicing.read",
    /// Manage webhooks.
    WebhooksWrite = "webhooks.write",
    /// Read notices, and have webhooks told them.
    NoticesRead = "notices.read",
    /// Use the legacy REST API.
    Legacy = "legacy",
    /// Call the invoice data service.
    InvoicingRpc = "invoicing.rpc",
    /// Call the finance service.
    FinanceRpc = "finance.rpc",
    /// Give a tax authority's verdict by hand.
    FinanceVerdict = "finance.verdict",
    /// Look at everything in the console.
    ConsoleRead = "console.read",
    /// Operate the gateway.
    Admin = "admin",
}

/// A text names no permission.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no permission: use one of {known}", known = Permission::ALL.iter().map(|p| p.as_str()).collect::<Vec<_>>().join(", "))]
pub struct NotAPermission(pub String);

impl FromStr for Permission {
    type Err = NotAPermission;

    fn from_str(text: &str) -> Result<Self, NotAPermission> {
        Self::ALL
            .iter()
            .copied()
            .find(|permission| permission.as_str() == text)
            .ok_or_else(|| NotAPermission(text.to_owned()))
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Permission {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl PartialSchema for Permission {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("One kind of operation a client may be allowed."))
            .enum_values(Some(Self::ALL.iter().map(|permission| permission.as_str())))
            .into()
    }
}

impl ToSchema for Permission {}

impl<'de> Deserialize<'de> for Permission {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// What stands for all workspaces where ids would stand.
const ALL_WORKSPACES: &str = "*";

/// The workspaces a client may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Workspaces {
    /// Each and every one.
    All,
    /// These, possibly none.
    Only(Vec<WorkspaceId>),
}

/// `"*"`, or a list of ids.
impl Serialize for Workspaces {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All => serializer.serialize_str(ALL_WORKSPACES),
            Self::Only(list) => list.serialize(serializer),
        }
    }
}

impl PartialSchema for Workspaces {
    fn schema() -> RefOr<Schema> {
        let all = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([ALL_WORKSPACES]));
        AnyOfBuilder::new()
            .description(Some("The workspaces it may see; `*` for all."))
            .item(all)
            .item(ArrayBuilder::new().items(ObjectBuilder::new().schema_type(Type::Integer)))
            .into()
    }
}

impl ToSchema for Workspaces {}

impl Workspaces {
    /// Whether `workspace` is among them.
    pub fn contain(&self, workspace: WorkspaceId) -> bool {
        match self {
            Self::All => true,
            Self::Only(list) => list.contains(&workspace),
        }
    }

    /// Whether all of `others` are among them. None at all are of nobody in particular: only who has every workspace covers them.
    pub fn cover(&self, others: &Self) -> bool {
        match (self, others) {
            (Self::All, _) => true,
            (Self::Only(_), Self::All) => false,
            (Self::Only(_), Self::Only(list)) => {
                !list.is_empty() && list.iter().all(|workspace| self.contain(*workspace))
            }
        }
    }
}

/// Who calls: an authenticated client, perhaps on behalf of an end user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The `sub` of its access token; on the legacy API, the client that signed in.
    pub client: ClientId,
    /// The end user acted for (`act.sub`).
    pub act_sub: Option<String>,
    /// What the client may do.
    pub permissions: Vec<Permission>,
    /// Where it may do so.
    pub workspaces: Workspaces,
}

impl Caller {
    /// Whether the client may do this.
    pub fn may(&self, permission: Permission) -> bool {
        self.permissions.iter().any(|granted| *granted == permission || *granted == Permission::All)
    }

    /// Who to record against what is done.
    pub fn actor(&self) -> Actor {
        Actor::of_client(self.client, self.act_sub.as_deref())
    }
}

/// Who did something: an end user, a client, or the gateway itself.
///
/// As it is stored: `<client>/<end user>`, `<client>/` for the client itself, or the name of somebody in the house. An
/// end user's name is the client's free text, so it never stands alone: nobody passes for the operator. Older rows have
/// the name alone. Others are shown the [name](Self::name), and the [client](Self::client) beside it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Actor(pub String);

impl Serialize for Actor {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Actor {
    /// A client, perhaps on behalf of an end user.
    pub fn of_client(client: ClientId, end_user: Option<&str>) -> Self {
        Self(format!("{client}/{}", end_user.unwrap_or_default()))
    }

    fn parts(&self) -> Option<(&str, ClientId, &str)> {
        let (text, end_user) = self.0.split_once('/')?;
        let client: ClientId = text.parse().ok()?;
        (client.to_string() == text).then_some((text, client, end_user))
    }

    /// The end user, else the client or who it was in the house.
    pub fn name(&self) -> &str {
        match self.parts() {
            Some((client, _, "")) => client,
            Some((_, _, end_user)) => end_user,
            None => &self.0,
        }
    }

    /// The client that asked; none for what was done in the house, and in older rows.
    pub fn client(&self) -> Option<ClientId> {
        self.parts().map(|(_, client, _)| client)
    }

    /// The gateway, acting on a schedule or an answer of the provider.
    pub fn gateway() -> Self {
        Self("gateway".to_owned())
    }

    /// An operator at the command line whose name nobody gave.
    pub fn operator() -> Self {
        Self("operator".to_owned())
    }

    /// An operator at the command line: `operator:ana`.
    pub fn of_operator(name: &OperatorName) -> Self {
        Self(format!("operator:{}", name.0))
    }
}

/// The longest name of an operator, characters.
const OPERATOR_NAME_CHARS_MAX: usize = 64;

/// Who works at the command line, by the name of an account or of a ticket: 1 to 64 letters, digits and `. _ @ + -`, so that it
/// never reads like a client on behalf of somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorName(String);

/// A name that no operator has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the name of an operator has 1 to 64 letters, digits and . _ @ + -")]
pub struct InvalidOperatorName;

impl FromStr for OperatorName {
    type Err = InvalidOperatorName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fits = (1..=OPERATOR_NAME_CHARS_MAX).contains(&text.chars().count());
        let is_plain = text.chars().all(|c| c.is_alphanumeric() || "._@+-".contains(c));
        if fits && is_plain { Ok(Self(text.to_owned())) } else { Err(InvalidOperatorName) }
    }
}

/// A client as stored; its secrets are not here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// Also the `client_id` of its credentials; made by the gateway together with the client.
    pub id: ClientId,
    /// For people.
    pub name: String,
    /// What it may do.
    pub permissions: Vec<Permission>,
    /// Where.
    pub workspaces: Workspaces,
    /// Whether its tokens still count.
    pub disabled: bool,
}

/// On whose behalf something is done, and where: what every operation on documents takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acting {
    /// Documents of other workspaces do not exist.
    pub workspaces: Workspaces,
    /// Recorded with every change.
    pub actor: Actor,
    /// Which request this is, when the caller named it so that it can be repeated safely.
    pub request: Option<RequestKey>,
}

/// A request that may be repeated: the same key and content are carried out once (`Idempotency-Key`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestKey {
    /// Who asks, and for what: keys of different clients or operations are different keys.
    pub scope: String,
    /// As the caller named it.
    pub key: String,
    /// SHA-256 of what is asked for.
    pub hash: Vec<u8>,
}

impl Acting {
    /// The gateway itself, on a schedule or after an answer of the provider.
    pub fn gateway() -> Self {
        Self { workspaces: Workspaces::All, actor: Actor::gateway(), request: None }
    }
}

impl From<&Caller> for Acting {
    fn from(caller: &Caller) -> Self {
        Self { workspaces: caller.workspaces.clone(), actor: caller.actor(), request: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workspaces_are_covered_by_those_that_have_all_of_them() {
        let only = |ids: &[i64]| Workspaces::Only(ids.iter().copied().map(WorkspaceId).collect());
        for (own, others, expected) in [
            (Workspaces::All, Workspaces::All, true),
            (Workspaces::All, only(&[]), true),
            (only(&[1, 2]), only(&[2]), true),
            (only(&[1, 2]), only(&[2, 3]), false),
            (only(&[1]), Workspaces::All, false),
            (only(&[1]), only(&[]), false),
        ] {
            assert_eq!(own.cover(&others), expected, "{own:?} {others:?}");
        }
    }

    #[test]
    fn an_operator_is_named_and_never_passes_for_a_client_or_the_gateway() {
        for name in ["ana", "ana.garcia@example.org", "INC-1234", "gateway", "josé", &"a".repeat(64)] {
            let actor = Actor::of_operator(&name.parse().unwrap());
            assert_eq!((actor.name(), actor.client()), (format!("operator:{name}").as_str(), None));
        }
        let client = ClientId(uuid::Uuid::from_u128(7));
        for name in ["", "a b", "a\n", "ana:x", &format!("{client}/ana"), &"a".repeat(65)] {
            assert_eq!(name.parse::<OperatorName>(), Err(InvalidOperatorName), "{name:?}");
        }
    }

    #[test]
    fn an_end_user_never_passes_for_somebody_in_the_house_or_another_client() {
        let client = ClientId(uuid::Uuid::from_u128(7));
        for name in ["operator", "gateway", "00000000-0000-0000-0000-000000000009", "a/b"] {
            let actor = Actor::of_client(client, Some(name));
            assert_eq!((actor.name(), actor.client()), (name, Some(client)));
            assert_ne!(actor, Actor(name.to_owned()));
        }
        let alone = Actor::of_client(client, None);
        assert_eq!((alone.name(), alone.client()), (client.to_string().as_str(), Some(client)));
        assert_eq!(serde_json::to_value(Actor::of_client(client, Some("ana"))).unwrap(), "ana");
        assert_eq!((Actor::operator().name(), Actor::operator().client()), ("operator", None));
        // As older rows have it.
        let older = Actor(client.to_string());
        assert_eq!((older.name(), older.client()), (client.to_string().as_str(), None));
    }
}
