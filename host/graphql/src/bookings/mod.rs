//! Bookings: stays of guests in units.

mod conversations;

use crate::catalog::Product;
use crate::costs;
use crate::errors::{Refusal, require_referenced};
use crate::pages::{self, Connection};
use crate::scalars::{self, IsoDate, IsoDateTime, parse_id};
use crate::session::{found_or_null, or_null, reference, session};
use crate::spaces::Unit;
use async_graphql::{Context, Enum, ID, InputObject, Object, SimpleObject};
pub(crate) use conversations::{Conversation, ConversationsMutation, Message};
use gateway_domain::access::Permission;
use gateway_domain_lists::Stamped;
use gateway_domain_platform::bookings::{self, BookingFilter, CheckedStay};

const BOOKINGS: &str = "bookings";

/// How far a booking has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "BookingStatusEnum", remote = "gateway_domain_platform::bookings::BookingStatus")]
pub(crate) enum BookingStatus {
    /// Somebody asks; no night is taken.
    Enquiry,
    /// Waiting to be confirmed.
    Pending,
    /// Agreed.
    Confirmed,
    /// The guests are there.
    CheckedIn,
    /// The guests were there.
    CheckedOut,
    /// Taken back.
    Cancelled,
    /// Not confirmed in time.
    Expired,
}

/// What is known about a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "BookingVettingStatusEnum", remote = "gateway_domain_platform::bookings::VettingStatus")]
pub(crate) enum VettingStatus {
    /// Nobody looked.
    Unvetted,
    /// Somebody is looking.
    Pending,
    /// A person has to look.
    NeedsReview,
    /// Found good.
    Approved,
    /// Found wanting.
    Failed,
}

/// Whether a stay can be sold: the first obstacle in this order, or AVAILABLE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "UnitAvailabilityStatusEnum", remote = "gateway_domain_platform::bookings::StayStatus")]
pub(crate) enum StayStatus {
    /// Nothing is in the way.
    Available,
    /// A booking takes one of the nights.
    Booked,
    /// It breaks a contract window rule of the product's group, or begins on a day that is over.
    OutsideContractWindow,
    /// The product's group is inactive, or the unit is not in use.
    ProductInactive,
    /// It is shorter than the unit may be booked for.
    MinStay,
}

/// How many stay.
#[derive(Debug, Clone, Copy, SimpleObject)]
pub(crate) struct Guests {
    /// Adults.
    adults: i32,
    /// Children.
    children: i32,
    /// Adults and children.
    total: i32,
}

/// How to reach somebody about a booking.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct Contact {
    /// Who.
    name: Option<String>,
    /// By mail.
    email: Option<String>,
    /// By telephone.
    phone: Option<String>,
}

impl From<bookings::Contact> for Contact {
    fn from(contact: bookings::Contact) -> Self {
        let bookings::Contact { name, email, phone } = contact;
        Self { name, email, phone }
    }
}

/// The vetting of a booking's guest.
#[derive(Debug, Clone, Copy, SimpleObject)]
pub(crate) struct Vetting {
    /// What is known about the guest.
    status: VettingStatus,
}

/// A booking. The stay occupies the nights from check-in up to, and without, the day of check-out.
#[derive(Debug, Clone)]
pub(crate) struct Booking(pub(crate) Stamped<bookings::Booking>);

/// A booking. The stay occupies the nights from check-in up to, and without, the day of check-out.
#[Object]
impl Booking {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// The workspace it belongs to.
    async fn workspace_id(&self) -> i64 {
        self.0.workspace.0
    }

    /// What the guest is told.
    async fn confirmation_code(&self) -> &str {
        &self.0.confirmation_code
    }

    /// How far it has come.
    async fn status(&self) -> BookingStatus {
        self.0.status.into()
    }

    /// The first night.
    async fn check_in(&self) -> IsoDate {
        self.0.check_in.into()
    }

    /// The day of departure.
    async fn check_out(&self) -> IsoDate {
        self.0.check_out.into()
    }

    /// How many stay.
    async fn guests(&self) -> Guests {
        let guests = self.0.guests;
        Guests { adults: guests.adults, children: guests.children, total: guests.total() }
    }

    /// How many stay, adults and children.
    async fn guests_count(&self) -> i32 {
        self.0.guests.total()
    }

    /// Nights of the stay.
    async fn nights_count(&self) -> i32 {
        self.0.nights()
    }

    /// Whom to ask.
    #[graphql(complexity = "pages::short_list_cost(child_complexity)")]
    async fn contacts(&self) -> Vec<Contact> {
        self.0.contacts.iter().cloned().map(Contact::from).collect()
    }

    /// Where it was sold.
    async fn platform(&self) -> Option<&str> {
        self.0.platform.as_deref()
    }

    /// How it stands with the money, in the words of whoever collects it.
    async fn payment_status(&self) -> Option<&str> {
        self.0.payment_status.as_deref()
    }

    /// Where. What tells more than the unit's code needs the permission spaces.read.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn unit(&self, ctx: &Context<'_>) -> Option<Unit> {
        let unit = async {
            let session = reference(ctx, Permission::SpacesRead, &["id", "code"])?;
            require_referenced("unit", self.0.unit, session.unit(self.0.unit).await?).map(Unit)
        };
        or_null(ctx, unit.await)
    }

    /// What was sold. What tells more than the product's name needs the permission catalog.read.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn product(&self, ctx: &Context<'_>) -> Option<Product> {
        let product = async {
            let session = reference(ctx, Permission::CatalogRead, &["id", "name"])?;
            let Some(id) = self.0.product else { return Ok(None) };
            Ok(session.product(id).await?.map(Product))
        };
        found_or_null(ctx, product.await)
    }

    /// What is written about it.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn conversation(&self, ctx: &Context<'_>) -> Option<Conversation> {
        let conversation = async { Ok(session(ctx).conversation_of(self.0.id).await?.map(Conversation)) };
        found_or_null(ctx, conversation.await)
    }

    /// The vetting of the guest.
    async fn vetting(&self) -> Vetting {
        Vetting { status: self.0.vetting.into() }
    }

    /// When it was made.
    async fn created_at(&self) -> IsoDateTime {
        self.0.created_at.into()
    }

    /// When it changed last.
    async fn updated_at(&self) -> IsoDateTime {
        self.0.updated_at.into()
    }
}

/// Which bookings a search finds. An empty list of ids finds nothing.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct BookingsSearchInput {
    /// Only these.
    ids: Vec<ID>,
}

/// Whether a stay can be sold.
#[derive(Debug, Clone, Copy, SimpleObject)]
pub(crate) struct UnitAvailabilityCheck {
    /// The first obstacle, or AVAILABLE.
    status: StayStatus,
}

/// Bookings. Reading needs the permission bookings.read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BookingsQuery;

/// Bookings. Reading needs the permission bookings.read.
#[Object]
impl BookingsQuery {
    /// Bookings, the oldest first.
    #[graphql(complexity = "pages::page_cost(first, child_complexity)")]
    async fn search(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which ones; all unless given.")] q: Option<BookingsSearchInput>,
        #[graphql(desc = "Nodes of a page: 25 unless given, and at most.")] first: Option<i32>,
        #[graphql(desc = "The endCursor of the page before; none, or an empty one, for the first.")]
        after: Option<String>,
    ) -> Option<Connection<Booking>> {
        let page = async {
            let session = session(ctx).require(Permission::BookingsRead)?;
            let ids = q.as_ref().map(|q| q.ids.as_slice());
            let filter = BookingFilter { ids: scalars::parse_ids(ids), ..BookingFilter::default() };
            let request = pages::page_request(BOOKINGS, first, after.as_deref())?;
            let (services, acting) = (&session.services, &session.acting);
            let page = services.platform.bookings.bookings(acting, &filter, request);
            let count = services.platform.bookings.bookings_count(acting, &filter);
            pages::read_connection(ctx, BOOKINGS, page, count, Booking).await
        };
        or_null(ctx, page.await)
    }

    /// A booking; null when there is none.
    async fn booking(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which one.")] booking_id: ID,
    ) -> Option<Booking> {
        let booking = async {
            let session = session(ctx).require(Permission::BookingsRead)?;
            let Some(id) = parse_id(&booking_id) else { return Ok(None) };
            Ok(session.booking(id).await?.map(Booking))
        };
        found_or_null(ctx, booking.await)
    }

    /// What is written about a booking, by the id of the conversation; null when there is none.
    async fn conversation(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which one.")] id: ID,
    ) -> Option<Conversation> {
        let conversation = async {
            let session = session(ctx).require(Permission::BookingsRead)?;
            let Some(id) = parse_id(&id) else { return Ok(None) };
            Ok(session.conversation(id).await?.map(Conversation))
        };
        found_or_null(ctx, conversation.await)
    }

    /// Whether a stay in a unit can be sold as a product; null when there is no such unit, or it is not sold as this
    /// product.
    async fn check_unit_availability(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Where.")] unit_id: ID,
        #[graphql(desc = "As what.")] product_id: ID,
        #[graphql(desc = "The first night.")] start_date: IsoDate,
        #[graphql(desc = "The day of departure.")] end_date: IsoDate,
    ) -> Option<UnitAvailabilityCheck> {
        let check = async {
            let session = session(ctx).require(Permission::BookingsRead)?;
            let (Some(unit), Some(product)) = (parse_id(&unit_id), parse_id(&product_id)) else {
                return Ok(None);
            };
            let stay = CheckedStay { start_date: start_date.0, end_date: end_date.0 };
            let services = &session.services;
            let status = services
                .platform
                .bookings
                .check_unit_availability(&session.acting, unit, product, stay)
                .await;
            let status = status.map_err(|error| Refusal::change("", error))?;
            Ok(status.map(|status| UnitAvailabilityCheck { status: status.into() }))
        };
        found_or_null(ctx, check.await)
    }
}
