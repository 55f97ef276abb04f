//! What customers are told at the addresses they register, as the document's `webhooks` section describes it. The bodies
//! themselves are made where events are kept; a test holds what arrives against this.

use gateway_domain::invoicing::{DocumentKind, Status};
use gateway_domain_events::notices::NoticeData;
use gateway_domain_platform::bookings::{BookingStatus, VettingStatus};
use gateway_domain_platform::catalog::ActivationState;
use gateway_domain_platform::identity::UserStatus;
use gateway_domain_platform::spaces::UnitStatus;
use gateway_domain_platform::webhooks::{EventType, How};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{
    HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem, Paths,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};
use utoipa::openapi::{
    ComponentsBuilder, KnownFormat, OpenApi, OpenApiBuilder, Ref, Required, ResponseBuilder, SchemaFormat,
};
use uuid::Uuid;

/// What all of them have in common.
pub(crate) const ABOUT: &str =
    "What a workspace is told at the addresses it registers, signed as Standard Webhooks has it.";

/// Whose event it is, and when among others it happened.
#[derive(Debug, Serialize, ToSchema)]
struct EventPosition {
    /// Whose it is.
    #[schema(examples(1))]
    workspace_id: i64,
    /// Of two events the one with the greater sequence happened later; numbers are left out.
    #[schema(minimum = 1, examples(42))]
    sequence: i64,
}

/// What is told of an invoice: ids and states. Ask the API for the rest.
#[derive(Debug, Serialize, ToSchema)]
struct InvoiceData {
    /// The document.
    #[schema(examples("0197f4f2-0000-7000-8000-000000000001"))]
    id: Uuid,
    /// What kind of document it is.
    document_type: DocumentKind,
    /// Its state after the event.
    status: Status,
    /// Its number; null before it has one.
    #[schema(required, examples("F-2026-000001"))]
    display_document_number: Option<String>,
    /// The booking it bills.
    #[schema(required)]
    booking_id: Option<Uuid>,
    #[serde(flatten)]
    event: EventPosition,
}

/// What is told of a product group: ids and states. Ask the API for the rest.
#[derive(Debug, Serialize, ToSchema)]
struct ProductGroupData {
    /// The product group.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000a9"))]
    id: Uuid,
    change: How,
    /// What it is called inside the workspace.
    #[schema(examples("STUDENTS-2026"))]
    internal_reference: String,
    state: ActivationState,
    #[serde(flatten)]
    event: EventPosition,
}

/// What is told of a booking: ids and states. Ask the API for the rest.
#[derive(Debug, Serialize, ToSchema)]
struct BookingData {
    /// The booking.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000b1"))]
    id: Uuid,
    change: How,
    status: BookingStatus,
    /// What guests and channels know it by.
    #[schema(examples("CC-1"))]
    confirmation_code: String,
    /// The unit that is booked.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000a1"))]
    unit_id: Uuid,
    #[serde(flatten)]
    event: EventPosition,
}

/// What is told of a task: ids. Ask the API for the rest.
#[derive(Debug, Serialize, ToSchema)]
struct TaskData {
    /// The task.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000b8"))]
    id: Uuid,
    change: How,
    /// Where it is to be done.
    #[schema(required)]
    unit_id: Option<Uuid>,
    /// The booking it is about.
    #[schema(required)]
    booking_id: Option<Uuid>,
    #[serde(flatten)]
    event: EventPosition,
}

/// What is told of the verification of a guest: nothing about the guest but its state.
#[derive(Debug, Serialize, ToSchema)]
struct GuestVerificationData {
    /// The booking.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000b1"))]
    id: Uuid,
    change: How,
    /// The booking, again.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000b1"))]
    booking_id: Uuid,
    guest_verification: GuestVerificationState,
    #[serde(flatten)]
    event: EventPosition,
}

/// How far it is known who stays.
#[derive(Debug, Serialize, ToSchema)]
struct GuestVerificationState {
    status: VettingStatus,
}

/// What is told of a unit: ids and states. Ask the API for the rest.
#[derive(Debug, Serialize, ToSchema)]
struct UnitData {
    /// The unit: the property of the legacy API.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000a1"))]
    id: Uuid,
    change: How,
    /// What it is called inside the workspace.
    #[schema(examples("1A"))]
    code: String,
    /// Whether it is in use: no night of another is available.
    status: UnitStatus,
    /// Its type, which says in which building it is.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000a3"))]
    unit_type_id: Uuid,
    #[serde(flatten)]
    event: EventPosition,
}

/// What is told of a rate plan and of its tariffs, once for everything that one command does to them: ids. Ask the API for
/// the rest.
#[derive(Debug, Serialize, ToSchema)]
struct RatePlanData {
    /// The rate plan.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000a5"))]
    id: Uuid,
    change: How,
    /// The unit that it prices.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000a1"))]
    unit_id: Uuid,
    #[serde(flatten)]
    event: EventPosition,
}

/// What is told of the nights of a unit, once for all the bookings that one command makes or edits. Ask the API which of
/// them are free.
#[derive(Debug, Serialize, ToSchema)]
struct AvailabilityData {
    /// The unit.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000a1"))]
    id: Uuid,
    change: How,
    /// The unit, again.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000a1"))]
    unit_id: Uuid,
    /// The nights that were taken or became free, in order: neither overlapping nor adjacent.
    #[schema(min_items = 1)]
    date_ranges: Vec<DateRange>,
    #[serde(flatten)]
    event: EventPosition,
}

/// Nights that follow each other, as a calendar is asked for them.
#[derive(Debug, Serialize, ToSchema)]
struct DateRange {
    /// The night that begins on this day is the first one.
    #[schema(format = Date, examples("2026-12-01"))]
    start_date: String,
    /// The night that begins on this day is the last one, unlike on a day of departure.
    #[schema(format = Date, examples("2026-12-04"))]
    end_date: String,
}

/// What is told of a user as this workspace sees them: ids and states. Ask the API for the rest.
#[derive(Debug, Serialize, ToSchema)]
struct UserData {
    /// The user.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000b6"))]
    id: Uuid,
    change: How,
    /// Whether they may work; null for somebody who has no role in this workspace any more.
    #[schema(required)]
    status: Option<UserStatus>,
    #[serde(flatten)]
    event: EventPosition,
}

/// What is told of a message: ids, nothing of its text. Ask the API for the rest.
#[derive(Debug, Serialize, ToSchema)]
struct MessageCreatedData {
    /// The message.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000b4"))]
    id: Uuid,
    change: How,
    /// Where it was written.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000b3"))]
    conversation_id: Uuid,
    /// The booking it is about.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000b1"))]
    booking_id: Uuid,
    #[serde(flatten)]
    event: EventPosition,
}

/// What a notice says: not of what it is about, only what is the matter and what to do. Sent only to webhooks that name it.
#[derive(Debug, Serialize, ToSchema)]
struct NoticeNotificationData {
    /// What it is about: the document or the webhook; what has no id of its own has one that its name always gives.
    #[schema(examples("0197f4f2-0000-7000-8000-000000000001"))]
    id: Uuid,
    #[serde(flatten)]
    notice: NoticeData,
    #[serde(flatten)]
    event: EventPosition,
}

/// What a webhook is tried with.
#[derive(Debug, Serialize, ToSchema)]
struct TestData {
    /// The webhook.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000e5"))]
    id: Uuid,
    /// Whose it is.
    #[schema(examples(1))]
    workspace_id: i64,
    /// That of the last event before it.
    #[schema(minimum = 0, examples(42))]
    sequence: i64,
}

/// Every notification, by the name of its event.
pub(crate) fn document() -> OpenApi {
    let components = ComponentsBuilder::new();
    let mut notifications = Notifications { components, paths: Paths::new() };
    for event in EventType::ALL {
        match event {
            EventType::InvoiceIssuing
            | EventType::InvoiceIssued
            | EventType::InvoiceRejected
            | EventType::InvoiceAccepted => notifications.add::<InvoiceData>(*event),
            EventType::ProductGroupChanged => notifications.add::<ProductGroupData>(*event),
            EventType::BookingChanged => notifications.add::<BookingData>(*event),
            EventType::TaskChanged => notifications.add::<TaskData>(*event),
            EventType::GuestVerificationChanged => notifications.add::<GuestVerificationData>(*event),
            EventType::UnitChanged => notifications.add::<UnitData>(*event),
            EventType::RatePlanChanged => notifications.add::<RatePlanData>(*event),
            EventType::AvailabilityChanged => notifications.add::<AvailabilityData>(*event),
            EventType::UserChanged => notifications.add::<UserData>(*event),
            EventType::MessageCreated => notifications.add::<MessageCreatedData>(*event),
            EventType::SubmissionAlerted
            | EventType::SubmissionCleared
            | EventType::SubmissionDue
            | EventType::IssuingOverdue
            | EventType::WebhookDisabled
            | EventType::PluginBlocked
            | EventType::PluginNotActivated
            | EventType::CredentialExpiring
            | EventType::CertificateExpiring
            | EventType::ReconciliationDifferent
            | EventType::ReconciliationFailed
            | EventType::AcceptedWithErrors => notifications.add::<NoticeNotificationData>(*event),
            EventType::Test => notifications.add::<TestData>(*event),
        }
    }
    let Notifications { components, paths } = notifications;
    OpenApiBuilder::new().components(Some(components.build())).paths(paths).build()
}

/// What happened, in short.
const fn summary(event: EventType) -> &'static str {
    match event {
        EventType::InvoiceIssuing => "An invoice went to the tax authority",
        EventType::InvoiceIssued => "An invoice is final",
        EventType::InvoiceRejected => "The tax authority refused an invoice",
        EventType::InvoiceAccepted => "The tax authority accepted an invoice",
        EventType::ProductGroupChanged => "A product group was made, edited, switched on or off",
        EventType::BookingChanged => "A booking was made or edited",
        EventType::TaskChanged => "A task was made or edited",
        EventType::GuestVerificationChanged => "What is known about the guest of a booking changed",
        EventType::UnitChanged => "A unit was made or edited, or something that it shows",
        EventType::RatePlanChanged => "A rate plan or its tariffs were made or edited",
        EventType::AvailabilityChanged => "Bookings took or gave back nights of a unit",
        EventType::UserChanged => {
            "A user was made or edited, or one of their teams, or they lost their roles in the workspace"
        }
        EventType::MessageCreated => "A message was written",
        EventType::SubmissionAlerted => "A submission waits for somebody",
        EventType::SubmissionCleared => "A submission waits for nobody any more",
        EventType::SubmissionDue => "The time in which the law wants a document filed runs out",
        EventType::IssuingOverdue => "A document is issuing, and nobody submits it",
        EventType::WebhookDisabled => "Nothing more is sent to another webhook of the workspace",
        EventType::PluginBlocked => "A plugin misbehaved and serves nobody any more",
        EventType::PluginNotActivated => "A version of a plugin was due to come in force, and did not",
        EventType::CredentialExpiring => "A credential of the workspace ends soon",
        EventType::CertificateExpiring => "The certificate of a listener ends soon, or has ended",
        EventType::ReconciliationDifferent => "The tax authority holds something else than the gateway",
        EventType::ReconciliationFailed => {
            "Nobody knows whether the tax authority holds what the gateway holds: a reconciliation failed"
        }
        EventType::AcceptedWithErrors => "The tax authority accepted a document and found errors in it",
        EventType::Test => "Somebody tries the webhook",
    }
}

struct Notifications {
    components: ComponentsBuilder,
    paths: Paths,
}

impl Notifications {
    fn add<D: ToSchema>(&mut self, event: EventType) {
        let mut schemas = vec![(D::name().into_owned(), D::schema())];
        D::schemas(&mut schemas);
        let name = format!("{event:?}Notification");
        let body = ContentBuilder::new().schema(Some(Ref::from_schema_name(&name))).build();
        schemas.push((name, body_of::<D>(event).into()));
        let components = std::mem::take(&mut self.components);
        self.components = components.schemas_from_iter(schemas);
        let operation = operation(event).request_body(Some(
            RequestBodyBuilder::new()
                .content("application/json", body)
                .required(Some(Required::True))
                .description(Some("Signed as Standard Webhooks has it: verify it before you read it."))
                .build(),
        ));
        let item = PathItem::new(HttpMethod::Post, operation.build());
        self.paths.paths.insert(event.as_str().to_owned(), item);
    }
}

fn body_of<D: ToSchema>(event: EventType) -> Object {
    let kind = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([event.as_str()]));
    let timestamp = ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
        .description(Some("When it happened."))
        .examples(["2026-11-20T09:00:05Z"]);
    ObjectBuilder::new()
        .property("type", kind.description(Some("What happened.")))
        .property("timestamp", timestamp)
        .property("data", Ref::from_schema_name(D::name()))
        .required("type")
        .required("timestamp")
        .required("data")
        .build()
}

fn operation(event: EventType) -> OperationBuilder {
    let answer = |about: &str| ResponseBuilder::new().description(about).build();
    let about = if event.is_notice() {
        "Sent to every webhook of the workspace that names it, which takes the permission notices.read, at least once, in no \
         promised order; never to a webhook that it is about."
    } else {
        "Sent to every webhook of the workspace that asks for it, at least once, in no promised order."
    };
    OperationBuilder::new()
        .operation_id(Some(format!("on{event:?}")))
        .summary(Some(summary(event)))
        .description(Some(about))
        .parameters(Some(signature()))
        .response("2XX", answer("It arrived."))
        .response(
            "410",
            answer("Nobody is there any more: the webhook is disabled until its owner enables it."),
        )
        .response("default", answer("It did not arrive: it is sent again, under the same id, for days."))
}

/// The headers by which a call is verified (Standard Webhooks).
fn signature() -> Vec<Parameter> {
    let header = |name: &str, about: &str, example: &str| {
        ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Header)
            .required(Required::True)
            .description(Some(about))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
            .example(Some(example.into()))
            .build()
    };
    vec![
        header(
            "webhook-id",
            "The event: the same at every try and replay. Deduplicate by it.",
            "0197f4f2-0000-7000-8000-0000000000f1",
        ),
        header("webhook-timestamp", "When this try was made, in seconds since 1970.", "1795165205"),
        header(
            "webhook-signature",
            "One signature for each secret in force, parted by spaces.",
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        ),
    ]
}
