//! Every look-up that is composed: rows by their ids, or by those of what they belong to. An index finds a few rows for
//! each of them, and no look-up reads more.

use crate::finance::{booking_documents, submissions};
use crate::invoicing::invoices;
use gateway_database::lists::ListQuery;
use gateway_database::select::{Select, Table};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{ConversationId, RatePlanId, WorkspaceId};
use gateway_storage_platform::references::ReferenceTarget;
use gateway_storage_platform::{
    accounts, bookings, conversations, product_groups, products, profiles, rates, references, spaces, tasks,
    units,
};
use jiff::Timestamp;
use jiff::civil::date;
use uuid::Uuid;

/// Tables whose rows are found by their ids and have a workspace.
const OF_WORKSPACES: [Table; 12] = [
    bookings::TABLE,
    booking_documents::TABLE,
    conversations::TABLE,
    invoices::TABLE,
    product_groups::TABLE,
    products::TABLE,
    rates::PLANS,
    spaces::BUILDINGS,
    spaces::UNIT_TYPES,
    submissions::TABLE,
    tasks::TABLE,
    units::TABLE,
];

/// What the sample requests name.
const SAMPLE: [Uuid; 2] = [Uuid::from_u128(7), Uuid::from_u128(8)];

/// All of them for a caller.
pub(crate) fn look_ups(visible: &Workspaces) -> Vec<Select> {
    let (first, last) = (Some(date(2026, 1, 1)), Some(date(2026, 2, 1)));
    let place = Some((Timestamp::UNIX_EPOCH, SAMPLE[0]));
    let conversation = ConversationId(SAMPLE[0]);
    let plans = [RatePlanId(SAMPLE[0])];
    let single = [
        (conversations::TABLE, ListQuery::new(visible).of_any("booking_id", &SAMPLE)),
        (conversations::MESSAGES, ListQuery::through(visible, conversations::OF_MESSAGES).with_ids(&SAMPLE)),
        (conversations::MESSAGES, conversations::of_conversation(conversation, None)),
        (conversations::MESSAGES, conversations::of_conversation(conversation, place)),
        (rates::PLANS, ListQuery::new(visible).of_any("unit_id", &SAMPLE)),
        (rates::TARIFFS, ListQuery::through(visible, rates::OF_TARIFFS).with_ids(&SAMPLE)),
        (rates::TARIFFS, rates::nights_of_plans(&plans, None, None)),
        (rates::TARIFFS, rates::nights_of_plans(&plans, first, None)),
        (rates::TARIFFS, rates::nights_of_plans(&plans, None, last)),
        (rates::TARIFFS, rates::nights_of_plans(&plans, first, last)),
        (spaces::AMENITIES, ListQuery::anything().with_ids(&SAMPLE)),
        (spaces::MEDIA_ITEMS, ListQuery::through(visible, spaces::OF_MEDIA_ITEMS).with_ids(&SAMPLE)),
        (accounts::TABLE, accounts::query(visible, None).with_ids(&SAMPLE)),
        (accounts::TEAMS, ListQuery::through(visible, accounts::OF_TEAMS).with_ids(&SAMPLE)),
        (profiles::TABLE, profiles::of_workspaces(&[WorkspaceId(1)])),
        (references::WORKSPACES, profiles::of_workspaces(&[WorkspaceId(1)])),
    ];
    let by_ids = OF_WORKSPACES.map(|table| (table, ListQuery::new(visible).with_ids(&SAMPLE)));
    let referred = ReferenceTarget::ALL.map(|what| (what.table(), ListQuery::anything().with_ids(&SAMPLE)));
    single
        .into_iter()
        .chain(by_ids)
        .chain(referred)
        .filter_map(|(table, query)| query.select(table))
        .collect()
}
