//! Every list that is composed, with every filter it has, and which index answers it; [`fixed`] has those that are one
//! text. The catalogue prepares all of them, and a test holds their plans at a hundred thousand rows.
//!
//! A count reads an entry of the same index for each row that it counts, and a window one for each row that it passes
//! over: the rows of the workspaces at most, or those of the table for a caller who sees all workspaces.

mod documents;
pub(crate) mod fixed;

use crate::finance::{booking_documents, finance_documents, submissions};
use crate::invoicing::invoice_lists;
use crate::webhooks::deliveries;
use crate::{events, webhooks};
use gateway_database::lists::ListQuery;
use gateway_database::select::{Condition, Select, Table};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{BookingId, ConversationId, ProductGroupId, UnitId, WebhookId};
use gateway_domain::invoicing::DocumentOrder;
use gateway_domain_events::AuditFilter;
use gateway_domain_finance::Stage;
use gateway_domain_finance::SubmissionFilter;
use gateway_domain_platform::bookings::BookingFilter;
use gateway_domain_platform::identity::UserStatus;
use gateway_domain_platform::spaces::UnitStatus;
use gateway_domain_platform::tasks::TaskFilter;
use gateway_domain_platform::webhooks::DeliveryState;
use gateway_storage_access::audit;
use gateway_storage_platform::{accounts, bookings, conversations, product_groups, products, tasks, units};
use jiff::Timestamp;
use jiff::civil::{Date, date};
use uuid::Uuid;

/// What a list reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    /// The index gives the rows in the order of the list: of each workspace no more are read than are shown.
    Page,
    /// The index gives what matches, which is little by nature, and that is sorted.
    Matching,
    /// Either what matches is sorted, or rows are read in the order of the list and those that do not match are passed
    /// over: the rows of the workspaces at most, or those of the table for a caller who sees all workspaces.
    UpToAll,
}

/// A list with one of its filters.
pub(crate) struct CataloguedList {
    /// What is listed.
    pub(crate) list: &'static str,
    /// What narrows it besides the workspaces.
    pub(crate) filter: &'static str,
    /// How much it reads.
    pub(crate) reads: Reads,
    /// The index for callers who ask for some workspaces; where an engine has its choice or names it itself, each.
    pub(crate) of_workspaces: &'static [&'static str],
    /// The index for callers who ask for all workspaces; none where callers always name one.
    pub(crate) of_all: &'static [&'static str],
    select: Box<SelectFor>,
}

impl CataloguedList {
    /// None for a caller who sees nothing.
    pub(crate) fn select(&self, visible: &Workspaces) -> Option<Select> {
        (self.select)(visible)
    }
}

/// The statement of a list for a caller; none where the caller sees nothing.
type SelectFor = dyn Fn(&Workspaces) -> Option<Select>;
type Indexes = &'static [&'static str];

fn listed(
    (list, filter): (&'static str, &'static str),
    reads: Reads,
    (of_workspaces, of_all): (Indexes, Indexes),
    select: impl Fn(&Workspaces) -> Option<Select> + 'static,
) -> CataloguedList {
    CataloguedList { list, filter, reads, of_workspaces, of_all, select: Box::new(select) }
}

/// A list of a table of this area, by what is asked for.
fn by_query(
    name: (&'static str, &'static str),
    reads: Reads,
    indexes: (Indexes, Indexes),
    table: Table,
    query: impl Fn(&Workspaces) -> Option<ListQuery<'_>> + 'static,
) -> CataloguedList {
    listed(name, reads, indexes, move |visible| query(visible)?.select(table))
}

/// What the sample requests name: some of it is there, some is not.
const SAMPLE: Uuid = Uuid::from_u128(0x7000_8000_0000_0000_0007);
const DAY: Date = date(2026, 6, 1);

/// An instant that little changed after.
fn recently() -> Timestamp {
    Timestamp::from_second(1_767_225_600 + 99_990).unwrap_or(Timestamp::MAX)
}

/// All of them.
pub(crate) fn lists() -> Vec<CataloguedList> {
    [
        documents::local(),
        documents::copies(),
        documents::by_number_prefix(),
        documents::newest_first(),
        documents::by_content(),
        finance(),
        product_groups(),
        products(),
        spaces(),
        reservations(),
        people(),
        webhook_lists(),
        audit_trail(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn finance() -> Vec<CataloguedList> {
    let submission = |filter, reads, indexes, stage, alerted| {
        let request = SubmissionFilter { stage, alerted };
        listed(("submissions", filter), reads, indexes, move |visible| submissions::select(request, visible))
    };
    let feed = |filter, selection| {
        // By the index of the workspace, or by position if few workspaces share the feed.
        let indexes: (Indexes, Indexes) = (
            &["event_of_workspace", "event_position_key"],
            &["event_position_key", "sqlite_autoindex_event_2"],
        );
        by_query(("events", filter), Reads::UpToAll, indexes, events::TABLE, move |visible| {
            Some(events::feed_query(visible, selection, 50_000))
        })
    };
    vec![
        submission("", Reads::Page, (&["submission_page"], &["submission_page_of_all"]), None, false),
        submission(
            "stage",
            Reads::Page,
            (&["submission_stage_of_workspace"], &["submission_stage"]),
            Some(Stage::Rejected),
            false,
        ),
        submission(
            "alerted",
            Reads::Page,
            (&["submission_alerted_of_workspace"], &["submission_alerted"]),
            None,
            true,
        ),
        submission(
            "stage, alerted",
            Reads::UpToAll,
            (
                &["submission_alerted_of_workspace", "submission_stage_of_workspace"],
                &["submission_alerted", "submission_stage", "submission_open"],
            ),
            Some(Stage::Waiting),
            true,
        ),
        feed("documents", gateway_domain_events::EventSelection::Documents),
        feed("source", gateway_domain_events::EventSelection::Source("/platform")),
        feed("", gateway_domain_events::EventSelection::All),
        by_query(
            ("booking documents", "booking"),
            Reads::Matching,
            (&["booking_document_booking"], &["booking_document_booking"]),
            booking_documents::TABLE,
            |visible| Some(booking_documents::query(visible, BookingId(SAMPLE))),
        ),
    ]
}

fn product_groups() -> Vec<CataloguedList> {
    use gateway_domain_platform::catalog::ProductGroupFilter as Filter;
    const PAGE: (Indexes, Indexes) = (&["product_group_page_of_workspace"], &["product_group_page"]);
    const REFERENCE: (Indexes, Indexes) = (&["product_group_reference"], &["product_group_reference"]);
    let group = |filter, reads, indexes, request: Filter| {
        by_query(("product groups", filter), reads, indexes, product_groups::TABLE, move |visible| {
            Some(product_groups::query(visible, &request, DAY))
        })
    };
    let all = Filter {
        state: "INACTIVE".parse().ok(),
        published: Some(true),
        workspace: None,
        academic_year: "2026/2027".parse().ok(),
        product_segment: "SEMESTER_1".parse().ok(),
        internal_reference: Some("R-7".to_owned()),
        ids: None,
    };
    vec![
        group("", Reads::Page, PAGE, Filter::default()),
        group(
            "state",
            Reads::Page,
            (&["product_group_state_of_workspace"], &["product_group_state"]),
            Filter { state: all.state, ..Filter::default() },
        ),
        group("published", Reads::UpToAll, PAGE, Filter { published: Some(true), ..Filter::default() }),
        group("not published", Reads::UpToAll, PAGE, Filter { published: Some(false), ..Filter::default() }),
        group(
            "academic_year",
            Reads::UpToAll,
            PAGE,
            Filter { academic_year: all.academic_year, ..Filter::default() },
        ),
        group(
            "product_segment",
            Reads::UpToAll,
            PAGE,
            Filter { product_segment: all.product_segment, ..Filter::default() },
        ),
        group(
            "internal_reference",
            Reads::Matching,
            REFERENCE,
            Filter { internal_reference: all.internal_reference.clone(), ..Filter::default() },
        ),
        group(
            "all of these",
            Reads::Matching,
            (&["product_group_reference", "product_group_state_of_workspace"], &["product_group_reference"]),
            all,
        ),
        group(
            "ids",
            Reads::Matching,
            (
                &["product_group_pkey", "sqlite_autoindex_product_group_1"],
                &["product_group_pkey", "sqlite_autoindex_product_group_1"],
            ),
            Filter { ids: Some(vec![ProductGroupId(SAMPLE)]), ..Filter::default() },
        ),
    ]
}

fn products() -> Vec<CataloguedList> {
    vec![by_query(
        ("products", "group"),
        Reads::Page,
        (&["product_page_of_group"], &["product_page_of_group"]),
        products::TABLE,
        |visible| Some(products::query(visible, ProductGroupId(SAMPLE))),
    )]
}

fn spaces() -> Vec<CataloguedList> {
    use gateway_domain_platform::spaces::UnitFilter as Filter;
    let unit = |filter, reads, indexes, request: Filter| {
        by_query(("units", filter), reads, indexes, units::TABLE, move |visible| {
            Some(units::query(visible, &request))
        })
    };
    let all =
        Filter { status: Some(UnitStatus::Archived), updated_since: Some(recently()), ..Filter::default() };
    vec![
        unit("", Reads::Page, (&["unit_page_of_workspace"], &["unit_page"]), Filter::default()),
        unit(
            "status",
            Reads::Page,
            (&["unit_status_of_workspace"], &["unit_status"]),
            Filter { status: all.status, ..Filter::default() },
        ),
        unit(
            "updated_since",
            Reads::UpToAll,
            (&["unit_changes", "unit_page_of_workspace"], &[]),
            Filter { updated_since: all.updated_since, ..Filter::default() },
        ),
        unit("all of these", Reads::UpToAll, (&["unit_status_of_workspace", "unit_changes"], &[]), all),
        unit(
            "ids",
            Reads::Matching,
            (&["unit_pkey", "sqlite_autoindex_unit_1"], &["unit_pkey", "sqlite_autoindex_unit_1"]),
            Filter { ids: Some(vec![UnitId(SAMPLE)]), ..Filter::default() },
        ),
    ]
}

fn reservations() -> Vec<CataloguedList> {
    const BOOKINGS: (Indexes, Indexes) = (&["booking_page_of_workspace"], &["booking_page"]);
    const TASKS: (Indexes, Indexes) = (&["task_page_of_workspace"], &["task_page"]);
    const TASKS_OF_UNIT: (Indexes, Indexes) = (&["task_unit"], &["task_unit"]);
    const UNIT: (Indexes, Indexes) =
        (&["booking_unit", "booking_nights", "booking_changes"], &["booking_unit", "booking_nights"]);
    let booking = |filter, reads, indexes, request: BookingFilter| {
        by_query(("bookings", filter), reads, indexes, bookings::TABLE, move |visible| {
            Some(bookings::query(visible, &request))
        })
    };
    let task = |filter, reads, indexes, request: TaskFilter| {
        by_query(("tasks", filter), reads, indexes, tasks::TABLE, move |visible| {
            Some(tasks::query(visible, &request))
        })
    };
    let messages = |filter, place| {
        const PAGE: Indexes = &["message_page_of_conversation"];
        listed(("messages", filter), Reads::Page, (PAGE, PAGE), move |_| {
            conversations::of_conversation(ConversationId(SAMPLE), place).select(conversations::MESSAGES)
        })
    };
    let (unit, from, to) = (Some(UnitId(SAMPLE)), Some(DAY), Some(DAY));
    let confirmation_code = Some("C777".to_owned());
    vec![
        booking("", Reads::Page, BOOKINGS, BookingFilter::default()),
        booking("unit", Reads::Matching, UNIT, BookingFilter { unit, ..BookingFilter::default() }),
        booking(
            "confirmation_code",
            Reads::Matching,
            (&["booking_confirmation_code"], &["booking_confirmation_code"]),
            BookingFilter { confirmation_code, ..BookingFilter::default() },
        ),
        booking("from", Reads::UpToAll, BOOKINGS, BookingFilter { from, ..BookingFilter::default() }),
        booking("to", Reads::UpToAll, BOOKINGS, BookingFilter { to, ..BookingFilter::default() }),
        booking(
            "updated_since",
            Reads::UpToAll,
            (&["booking_changes", "booking_page_of_workspace"], &[]),
            BookingFilter { updated_since: Some(recently()), ..BookingFilter::default() },
        ),
        booking(
            "all of these",
            Reads::Matching,
            UNIT,
            BookingFilter { unit, from, to, updated_since: Some(recently()), ..BookingFilter::default() },
        ),
        booking(
            "ids",
            Reads::Matching,
            (
                &["booking_pkey", "sqlite_autoindex_booking_1"],
                &["booking_pkey", "sqlite_autoindex_booking_1"],
            ),
            BookingFilter { ids: Some(vec![BookingId(SAMPLE)]), ..BookingFilter::default() },
        ),
        messages("conversation", None),
        messages("conversation, place", Some((Timestamp::UNIX_EPOCH, SAMPLE))),
        task("", Reads::Page, TASKS, TaskFilter::default()),
        task("unit", Reads::Page, TASKS_OF_UNIT, TaskFilter { unit, ..TaskFilter::default() }),
        task("from", Reads::UpToAll, TASKS, TaskFilter { from, ..TaskFilter::default() }),
        task("to", Reads::UpToAll, TASKS, TaskFilter { to, ..TaskFilter::default() }),
        task(
            "all of these",
            Reads::Matching,
            (&["task_unit"], &["task_unit"]),
            TaskFilter { unit, from, to, ..TaskFilter::default() },
        ),
    ]
}

fn people() -> Vec<CataloguedList> {
    let user = |filter, reads, indexes, status| {
        by_query(("users", filter), reads, indexes, accounts::TABLE, move |visible| {
            Some(accounts::query(visible, status))
        })
    };
    // Of workspaces: as many as people work there are sorted, or users are read in order if most work there.
    vec![
        user("", Reads::UpToAll, (&["role_binding_workspace", "role_binding_pkey"], &["account_page"]), None),
        user(
            "status",
            Reads::UpToAll,
            (&["role_binding_workspace", "role_binding_pkey", "account_status"], &["account_status"]),
            Some(UserStatus::Suspended),
        ),
    ]
}

fn webhook_lists() -> Vec<CataloguedList> {
    let delivery = |filter, index: Indexes, state| {
        listed(("deliveries", filter), Reads::Page, (index, index), move |_| {
            Some(deliveries::select(WebhookId(SAMPLE), state))
        })
    };
    vec![
        delivery("endpoint", &["webhook_delivery_of_endpoint"], None),
        delivery("endpoint, state", &["webhook_delivery_state"], Some(DeliveryState::Failed)),
        by_query(
            ("webhooks", ""),
            Reads::Matching,
            (&["webhook_endpoint_of_workspace"], &["webhook_endpoint_of_workspace"]),
            webhooks::TABLE,
            |visible| Some(webhooks::query(visible)),
        ),
    ]
}

fn audit_trail() -> Vec<CataloguedList> {
    const PAGE: Indexes = &["audit_page"];
    const ACTOR: Indexes = &["audit_actor"];
    const SUBJECT: Indexes = &["audit_subject"];
    const BOTH: Indexes = &["audit_actor", "audit_subject"];
    let entries = |filter, reads, indexes: Indexes, request: AuditFilter<'static>| {
        by_query(("audit trail", filter), reads, (indexes, indexes), audit::TABLE, move |_| {
            Some(audit::query(request))
        })
    };
    let (actor, subject) = ("jane777", "client:777");
    let none = AuditFilter::default();
    vec![
        entries("", Reads::Page, PAGE, none),
        entries("actor", Reads::UpToAll, ACTOR, AuditFilter { actor, ..none }),
        entries("subject", Reads::UpToAll, SUBJECT, AuditFilter { subject, ..none }),
        entries("actor, subject", Reads::UpToAll, BOTH, AuditFilter { actor, subject }),
    ]
}

/// The conditions of a list that begins behind a place, where lists have one.
pub(crate) fn behind_a_key(select: Select) -> Select {
    let (order, has_pages) = (select.table.order, select.table.name != deliveries::TABLE.name);
    let of = |order| [invoice_lists::table(order).order, finance_documents::table(order).order];
    // Where such a list begins: behind it comes everything.
    let beginning = if has_pages && of(DocumentOrder::OldestFirst).contains(&order) {
        Timestamp::UNIX_EPOCH
    } else if order == audit::TABLE.order || (has_pages && of(DocumentOrder::NewestFirst).contains(&order)) {
        recently()
    } else {
        return select;
    };
    let behind = Condition::behind(order, (beginning, SAMPLE));
    Select { conditions: select.conditions.and_where(Some(behind)), ..select }
}
