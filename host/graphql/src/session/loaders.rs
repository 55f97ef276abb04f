//! What one thing refers to, read for all of a page at once: each kind once per request, in one statement for everything
//! that is wanted at the same moment.

use super::Session;
use crate::Services;
use crate::errors::{Refusal, require_referenced};
use crate::request_loader::{Cause, RequestLoader, UndeliveredFields};
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::{
    AmenityId, BookingId, BuildingId, ConversationId, InvoiceId, MediaItemId, MessageId, ProductGroupId,
    ProductId, RatePlanId, TariffId, TaskId, TeamId, UnitId, UnitTypeId, UserId, WebhookId, WorkspaceId,
};
use gateway_domain::invoicing::{Balance, Invoice};
use gateway_domain_finance::Submission;
use gateway_domain_lists::{Page, Stamped};
use gateway_domain_platform::workspaces::Profile;
use gateway_domain_platform::{bookings, catalog, conversations, identity, pricing, spaces, tasks};
use gateway_invoicing::TimelineEntry;
use gateway_webhooks::Endpoint;
use jiff::civil::Date;
use std::collections::HashMap;
use std::sync::Arc;

/// Nights of a rate plan: from a day to a day, both included, each perhaps open.
pub(crate) type RatePlanNights = (RatePlanId, (Option<Date>, Option<Date>));

/// What was read within one request.
#[derive(Debug, Default)]
pub(crate) struct RequestLoaders {
    undelivered: Arc<UndeliveredFields>,
    amenities: RequestLoader<AmenityId, Stamped<spaces::Amenity>>,
    balances: RequestLoader<InvoiceId, Balance>,
    bookings: RequestLoader<BookingId, Stamped<bookings::Booking>>,
    buildings: RequestLoader<BuildingId, Stamped<spaces::Building>>,
    conversations: RequestLoader<BookingId, Stamped<conversations::Conversation>>,
    conversations_by_id: RequestLoader<ConversationId, Stamped<conversations::Conversation>>,
    documents: RequestLoader<InvoiceId, Invoice>,
    groups: RequestLoader<ProductGroupId, Stamped<catalog::ProductGroup>>,
    media_items: RequestLoader<MediaItemId, spaces::MediaItem>,
    message_counts: RequestLoader<ConversationId, i64>,
    message_pages: RequestLoader<(ConversationId, usize), Page<conversations::Message>>,
    messages: RequestLoader<MessageId, Stamped<conversations::Message>>,
    plans: RequestLoader<UnitId, Vec<Stamped<pricing::RatePlan>>>,
    plans_by_id: RequestLoader<RatePlanId, Stamped<pricing::RatePlan>>,
    product_counts: RequestLoader<ProductGroupId, i64>,
    product_pages: RequestLoader<(ProductGroupId, usize), Page<catalog::Product>>,
    products: RequestLoader<ProductId, Stamped<catalog::Product>>,
    profiles: RequestLoader<WorkspaceId, Profile>,
    submissions: RequestLoader<InvoiceId, Submission>,
    tariffs_by_id: RequestLoader<TariffId, Stamped<pricing::Tariff>>,
    tasks: RequestLoader<TaskId, Stamped<tasks::Task>>,
    teams_by_id: RequestLoader<TeamId, Stamped<identity::Team>>,
    users: RequestLoader<UserId, Stamped<identity::User>>,
    tariffs: RequestLoader<RatePlanNights, Vec<Stamped<pricing::Tariff>>>,
    teams: RequestLoader<UserId, Vec<Stamped<identity::Team>>>,
    timelines: RequestLoader<InvoiceId, Vec<TimelineEntry>>,
    unit_types: RequestLoader<UnitTypeId, Stamped<spaces::UnitType>>,
    units: RequestLoader<UnitId, Stamped<spaces::Unit>>,
    webhooks: RequestLoader<WebhookId, Endpoint>,
}

/// A method that reads one value from a loader; the loader is filled by an operation for many ids.
macro_rules! loaded {
    ($($(#[$doc:meta])* $name:ident: $loader:ident, $key:ty => $value:ty, |$services:ident, $acting:ident, $ids:ident| $read:expr;)+) => {
        impl Session {
            $($(#[$doc])*
            pub(crate) async fn $name(&self, key: $key) -> Result<Option<$value>, Cause> {
                let (services, acting): (Arc<Services>, Acting) = (Arc::clone(&self.services), self.acting.clone());
                let fetch = |ids: Vec<$key>| async move {
                    let ($services, $acting, $ids) = (&services, &acting, ids.as_slice());
                    let _: &Acting = $acting;
                    $read.await
                };
                self.loaders.$loader.get(&self.loaders.undelivered, key, fetch).await
            })+
        }
    };
}

loaded! {
    /// An amenity.
    amenity: amenities, AmenityId => Stamped<spaces::Amenity>, |services, acting, ids| services.platform.spaces.amenities_by_ids(ids);
    /// A booking.
    booking: bookings, BookingId => Stamped<bookings::Booking>, |services, acting, ids| services.platform.bookings.bookings_by_ids(acting, ids);
    /// A building.
    building: buildings, BuildingId => Stamped<spaces::Building>, |services, acting, ids| services.platform.spaces.buildings_by_ids(acting, ids);
    /// What is written about a booking.
    conversation_of: conversations, BookingId => Stamped<conversations::Conversation>,
        |services, acting, ids| services.platform.conversations.conversations_of_bookings(acting, ids);
    /// A conversation.
    conversation: conversations_by_id, ConversationId => Stamped<conversations::Conversation>,
        |services, acting, ids| services.platform.conversations.conversations_by_ids(acting, ids);
    /// A product group.
    product_group: groups, ProductGroupId => Stamped<catalog::ProductGroup>,
        |services, acting, ids| services.platform.catalog.product_groups_by_ids(acting, ids);
    /// The rate plans of a unit, the oldest first.
    plans_of: plans, UnitId => Vec<Stamped<pricing::RatePlan>>, |services, acting, ids| services.platform.pricing.rate_plans_of_units(acting, ids);
    /// A rate plan.
    plan: plans_by_id, RatePlanId => Stamped<pricing::RatePlan>, |services, acting, ids| services.platform.pricing.rate_plans_by_ids(acting, ids);
    /// How many products a group has.
    product_count: product_counts, ProductGroupId => i64, |services, acting, ids| services.platform.catalog.products_counts(acting, ids);
    /// A product.
    product: products, ProductId => Stamped<catalog::Product>, |services, acting, ids| services.platform.catalog.products_by_ids(acting, ids);
    /// A workspace.
    profile: profiles, WorkspaceId => Profile, |services, acting, ids| services.platform.spaces.profiles_by_ids(acting, ids);
    /// What was given back of a document, and what is left of it.
    balance: balances, InvoiceId => Balance, |services, acting, ids| services.documents.balances(acting, ids);
    /// The submission of a document.
    submission: submissions, InvoiceId => Submission, |services, acting, ids| services.submissions.of_documents(acting, ids);
    /// The teams of a user that was read for the caller.
    teams_of: teams, UserId => Vec<Stamped<identity::Team>>, |services, acting, ids| services.platform.users.teams_of_users(ids);
    /// What happened to a document, in order.
    timeline: timelines, InvoiceId => Vec<TimelineEntry>, |services, acting, ids| services.documents.timelines(acting, ids);
    /// A kind of unit.
    unit_type: unit_types, UnitTypeId => Stamped<spaces::UnitType>, |services, acting, ids| services.platform.spaces.unit_types_by_ids(acting, ids);
    /// A unit.
    unit: units, UnitId => Stamped<spaces::Unit>, |services, acting, ids| services.platform.spaces.units_by_ids(acting, ids);
    /// A webhook.
    webhook: webhooks, WebhookId => Endpoint, |services, acting, ids| services.webhooks.by_ids(acting, ids);
    /// An invoice document.
    document: documents, InvoiceId => Invoice, |services, acting, ids| services.documents.by_ids(acting, ids);
    /// A picture or film.
    media_item: media_items, MediaItemId => spaces::MediaItem, |services, acting, ids| services.platform.spaces.media_items_by_ids(acting, ids);
    /// A message.
    message: messages, MessageId => Stamped<conversations::Message>, |services, acting, ids| services.platform.conversations.messages_by_ids(acting, ids);
    /// How many messages a conversation has.
    message_count: message_counts, ConversationId => i64, |services, acting, ids| services.platform.conversations.messages_counts(acting, ids);
    /// The first messages of a conversation: as many as the key says.
    message_page: message_pages, (ConversationId, usize) => Page<conversations::Message>,
        |services, acting, ids| first_messages(services, acting, ids);
    /// A tariff.
    tariff: tariffs_by_id, TariffId => Stamped<pricing::Tariff>, |services, acting, ids| services.platform.pricing.tariffs_by_ids(acting, ids);
    /// A task.
    task: tasks, TaskId => Stamped<tasks::Task>, |services, acting, ids| services.platform.tasks.tasks_by_ids(acting, ids);
    /// A team.
    team: teams_by_id, TeamId => Stamped<identity::Team>, |services, acting, ids| services.platform.users.teams_by_ids(acting, ids);
    /// A user.
    user: users, UserId => Stamped<identity::User>, |services, acting, ids| services.platform.users.users_by_ids(acting, ids);
    /// The tariffs of a rate plan with a night between two days.
    tariffs_of: tariffs, RatePlanNights => Vec<Stamped<pricing::Tariff>>, |services, acting, ids| tariffs(services, ids);
    /// The first products of a group: as many as the key says.
    product_page: product_pages, (ProductGroupId, usize) => Page<catalog::Product>, |services, acting, ids| first_products(services, acting, ids);
}

/// One statement for each pair of days that is asked for; a request has few.
async fn tariffs(
    services: &Services,
    keys: &[RatePlanNights],
) -> Result<HashMap<RatePlanNights, Vec<Stamped<pricing::Tariff>>>, StoreError> {
    let mut spans: HashMap<_, Vec<RatePlanId>> = HashMap::new();
    for (plan, days) in keys {
        spans.entry(*days).or_default().push(*plan);
    }
    let mut tariffs = HashMap::new();
    for (days, plans) in spans {
        let found = services.platform.pricing.tariffs_of_rate_plans(&plans, days.0, days.1).await?;
        tariffs.extend(found.into_iter().map(|(plan, tariffs)| ((plan, days), tariffs)));
    }
    Ok(tariffs)
}

/// Those that a first page is wanted of, by its size: a request has few, and each is a statement.
fn by_page_size<K: Copy>(keys: &[(K, usize)]) -> HashMap<usize, Vec<K>> {
    let mut sizes: HashMap<usize, Vec<K>> = HashMap::new();
    for (of, first) in keys {
        sizes.entry(*first).or_default().push(*of);
    }
    sizes
}

async fn first_products(
    services: &Services,
    acting: &Acting,
    keys: &[(ProductGroupId, usize)],
) -> Result<HashMap<(ProductGroupId, usize), Page<catalog::Product>>, StoreError> {
    let mut pages = HashMap::new();
    for (first, groups) in by_page_size(keys) {
        let found = services.platform.catalog.first_products_of_groups(acting, &groups, first).await?;
        pages.extend(found.into_iter().map(|(group, page)| ((group, first), page)));
    }
    Ok(pages)
}

async fn first_messages(
    services: &Services,
    acting: &Acting,
    keys: &[(ConversationId, usize)],
) -> Result<HashMap<(ConversationId, usize), Page<conversations::Message>>, StoreError> {
    let mut pages = HashMap::new();
    for (first, conversations) in by_page_size(keys) {
        let found = services
            .platform
            .conversations
            .first_messages_of_conversations(acting, &conversations, first)
            .await?;
        pages.extend(found.into_iter().map(|(conversation, page)| ((conversation, first), page)));
    }
    Ok(pages)
}

impl RequestLoaders {
    /// A message was written: what was read of messages before is read again.
    pub(crate) fn forget_messages(&self) {
        self.message_counts.forget();
        self.message_pages.forget();
    }
}

impl Session {
    /// The product group that a product belongs to.
    pub(crate) async fn group(&self, id: ProductGroupId) -> Result<Stamped<catalog::ProductGroup>, Refusal> {
        require_referenced("product group", id, self.product_group(id).await?)
    }

    /// Units, in the order of their ids; those that are gone are left out.
    pub(crate) async fn units(&self, ids: &[UnitId]) -> Result<Vec<Stamped<spaces::Unit>>, Refusal> {
        let found = futures::future::try_join_all(ids.iter().map(|id| self.unit(*id))).await?;
        Ok(found.into_iter().flatten().collect())
    }
}
