//! The roots: one field for each area, and the things that other subgraphs refer to by their keys.

use crate::availability::AvailabilityQuery;
use crate::bookings::{Booking, BookingsQuery, Conversation, ConversationsMutation, Message};
use crate::catalog::{CatalogMutation, CatalogQuery, Product, ProductGroup};
use crate::identity::{AuthIdentityQuery, Team, User};
use crate::invoicing::{InvoiceDocument, InvoicingQuery};
use crate::scalars::{self, parse_id};
use crate::session::{by_key, session};
use crate::spaces::{
    Amenity, Building, MediaItem, PricingMutation, RatePlan, SpacesMutation, SpacesQuery, Tariff, Unit,
    UnitType,
};
use crate::tasks::{Task, TicketsTasksQuery};
use crate::webhooks::{Webhook, WebhooksMutation, WebhooksQuery};
use crate::workspaces::{AwcQuery, Workspace};
use async_graphql::{Context, ID, Object};
use gateway_domain::access::Permission;

/// Everything that can be read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Query;

/// Something by its key, as a supergraph asks for it: with the permission of its area, in the workspaces of the client,
/// and read together with its neighbours. What does not exist is null.
macro_rules! by_key {
    ($ctx:ident, $id:ident, $permission:ident, $read:ident, $view:expr) => {{
        let entity = async {
            let session = session($ctx).require_by_key(Permission::$permission)?;
            let Some(key) = parse_id(&$id) else { return Ok(None) };
            Ok(session.$read(key).await?.map($view))
        };
        by_key($ctx, &$id, entity.await)
    }};
}

/// Everything that can be read.
#[Object]
impl Query {
    /// The catalog: product groups, and the products in them.
    async fn catalog(&self) -> CatalogQuery {
        CatalogQuery
    }

    /// Units, their kinds, buildings and amenities.
    async fn spaces(&self) -> SpacesQuery {
        SpacesQuery
    }

    /// Which nights of units are free, and what they cost.
    async fn availability(&self) -> AvailabilityQuery {
        AvailabilityQuery
    }

    /// Bookings: stays of guests in units.
    async fn bookings(&self) -> BookingsQuery {
        BookingsQuery
    }

    /// Workspaces.
    async fn awc(&self) -> AwcQuery {
        AwcQuery
    }

    /// Who asks, and who works with the platform.
    async fn auth_identity(&self) -> AuthIdentityQuery {
        AuthIdentityQuery
    }

    /// What is to be done about units and bookings.
    async fn tickets_tasks(&self) -> TicketsTasksQuery {
        TicketsTasksQuery
    }

    /// Invoice documents.
    async fn invoicing(&self) -> InvoicingQuery {
        InvoicingQuery
    }

    /// Where the client wants to be told of changes.
    async fn webhooks(&self) -> WebhooksQuery {
        WebhooksQuery
    }

    #[graphql(entity)]
    async fn product_group_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<ProductGroup> {
        by_key!(ctx, id, CatalogRead, product_group, ProductGroup)
    }

    #[graphql(entity)]
    async fn product_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<Product> {
        by_key!(ctx, id, CatalogRead, product, Product)
    }

    #[graphql(entity)]
    async fn unit_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<Unit> {
        by_key!(ctx, id, SpacesRead, unit, Unit)
    }

    #[graphql(entity)]
    async fn unit_type_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<UnitType> {
        by_key!(ctx, id, SpacesRead, unit_type, UnitType)
    }

    #[graphql(entity)]
    async fn building_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<Building> {
        by_key!(ctx, id, SpacesRead, building, Building)
    }

    #[graphql(entity)]
    async fn amenity_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<Amenity> {
        by_key!(ctx, id, SpacesRead, amenity, Amenity)
    }

    #[graphql(entity)]
    async fn media_item_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<MediaItem> {
        by_key!(ctx, id, SpacesRead, media_item, MediaItem::from)
    }

    #[graphql(entity)]
    async fn rate_plan_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<RatePlan> {
        by_key!(ctx, id, SpacesRead, plan, RatePlan)
    }

    #[graphql(entity)]
    async fn tariff_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<Tariff> {
        by_key!(ctx, id, SpacesRead, tariff, Tariff)
    }

    #[graphql(entity)]
    async fn booking_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<Booking> {
        by_key!(ctx, id, BookingsRead, booking, Booking)
    }

    #[graphql(entity)]
    async fn conversation_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<Conversation> {
        by_key!(ctx, id, BookingsRead, conversation, Conversation)
    }

    #[graphql(entity)]
    async fn message_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<Message> {
        by_key!(ctx, id, BookingsRead, message, Message)
    }

    #[graphql(entity)]
    async fn user_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<User> {
        by_key!(ctx, id, UsersRead, user, User)
    }

    #[graphql(entity)]
    async fn team_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<Team> {
        by_key!(ctx, id, UsersRead, team, Team)
    }

    #[graphql(entity)]
    async fn task_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<Task> {
        by_key!(ctx, id, TasksRead, task, Task)
    }

    #[graphql(entity)]
    async fn invoice_document_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<InvoiceDocument> {
        by_key!(ctx, id, InvoicingRead, document, InvoiceDocument)
    }

    #[graphql(entity)]
    async fn webhook_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<Webhook> {
        by_key!(ctx, id, WebhooksWrite, webhook, Webhook::from)
    }

    #[graphql(entity)]
    async fn workspace_by_key(&self, ctx: &Context<'_>, id: ID) -> Option<Workspace> {
        let entity = async {
            let session = session(ctx).require_by_key(Permission::WorkspacesRead)?;
            let Ok(key) = scalars::parse_workspace_id(&id, "id") else { return Ok(None) };
            Ok(session.profile(key).await?.map(Workspace))
        };
        by_key(ctx, &id, entity.await)
    }
}

/// Everything that can be changed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mutation;

/// Everything that can be changed. Changes of one request happen one after the other, in the order they are written.
#[Object]
impl Mutation {
    /// Changes of the catalog.
    async fn catalog(&self) -> CatalogMutation {
        CatalogMutation
    }

    /// Changes around units.
    async fn spaces(&self) -> SpacesMutation {
        SpacesMutation
    }

    /// Changes of prices.
    async fn pricing(&self) -> PricingMutation {
        PricingMutation
    }

    /// Messages.
    async fn conversations(&self) -> ConversationsMutation {
        ConversationsMutation
    }

    /// Changes of webhooks.
    async fn webhooks(&self) -> WebhooksMutation {
        WebhooksMutation
    }
}
