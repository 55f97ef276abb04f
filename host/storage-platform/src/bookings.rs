//! Bookings of units.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::{self, At, ListQuery, OLDEST_FIRST, by_id, grouped, stamped};
use gateway_database::select::{Conditions, Table};
use gateway_database::sql::{Sql, ids, params, row, statements};
use gateway_database::stored::stored;
use gateway_database::value::{Day, Id};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{BookingId, ProductId, UnitId, WorkspaceId};
use gateway_domain_lists::{PageKey, Stamped, Window};
use gateway_domain_platform::bookings::{Booking, BookingFilter, Guests, VettingStatus};
use jiff::Timestamp;
use jiff::civil::Date;
use std::collections::HashMap;

stored! {
    struct Row of booking, columns!, put_rows! {
        id: Id;
        workspace_id: i64;
        unit_id: Id,
        product_id: Option<Id>,
        confirmation_code: String,
        status: String,
        check_in: Day,
        check_out: Day,
        adults: i64,
        children: i64,
        contacts: String,
        platform: Option<String>,
        payment_status: Option<String>,
        vetting_status: String,
    }
}

pub const TABLE: Table = Table {
    name: "booking",
    key: "id",
    columns: Sql::both(columns!()),
    order: OLDEST_FIRST,
    has_workspace: true,
};

statements! {
    BLOCKING = each ["SELECT ", (columns!), " FROM booking WHERE ", (among "unit_id", "$1"), "
        AND status IN ('PENDING', 'CONFIRMED', 'CHECKED_IN', 'CHECKED_OUT') AND check_out > $2 AND check_in < $3
        ORDER BY unit_id, check_in"];
    SET_VETTING = "UPDATE booking SET vetting_status = $2, updated_at = $3 WHERE id = $1";
    PUT = each [(put_rows! engine)];
}

impl TryFrom<Row> for Stamped<Booking> {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let id = BookingId(row.id.0);
        let at = At { table: "booking", id };
        let guests =
            Guests { adults: at.int("adults", row.adults)?, children: at.int("children", row.children)? };
        let booking = Booking {
            id,
            workspace: WorkspaceId(row.workspace_id),
            unit: UnitId(row.unit_id.0),
            product: row.product_id.map(|id| ProductId(id.0)),
            confirmation_code: row.confirmation_code,
            status: at.text("status", &row.status)?,
            check_in: row.check_in.0,
            check_out: row.check_out.0,
            guests,
            contacts: at.json("contacts", &row.contacts)?,
            platform: row.platform,
            payment_status: row.payment_status,
            vetting: at.text("vetting_status", &row.vetting_status)?,
        };
        Ok(stamped(booking, row.created_at, row.updated_at))
    }
}

pub fn query<'a>(visible: &'a Workspaces, filter: &BookingFilter) -> ListQuery<'a> {
    ListQuery {
        visible,
        workspace: filter.workspace,
        ids: filter.ids.as_ref().map(|ids| ids.iter().map(|id| Id(id.0)).collect()),
        conditions: Conditions::default()
            .finding("unit_id = ?", filter.unit)
            .finding("confirmation_code = ?", filter.confirmation_code.clone())
            .and("check_out > ?", filter.from)
            .and("check_in <= ?", filter.to)
            .and("updated_at >= ?", filter.updated_since),
    }
}

/// Bookings after a place, the oldest first.
pub async fn page(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    filter: &BookingFilter,
    after: Option<PageKey>,
    limit: i64,
) -> Result<Vec<Stamped<Booking>>, StoreError> {
    lists::page::<Row, _>(on.into(), TABLE, query(visible, filter), after, limit).await
}

/// Bookings of one workspace in a window, the oldest first, and how many there are altogether.
pub async fn window(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    workspace: WorkspaceId,
    filter: &BookingFilter,
    window: Window,
) -> Result<(Vec<Stamped<Booking>>, i64), StoreError> {
    lists::window::<Row, _>(on.into(), TABLE, query(visible, filter).of_workspace(workspace), window).await
}

/// How many bookings all pages have together.
pub async fn count(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    filter: &BookingFilter,
) -> Result<i64, StoreError> {
    lists::count(on.into(), TABLE, query(visible, filter)).await
}

/// Bookings by their ids; those that do not exist or are not visible are absent.
pub async fn by_ids(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[BookingId],
) -> Result<HashMap<BookingId, Stamped<Booking>>, StoreError> {
    let found = lists::by_ids::<Row, _>(on.into(), TABLE, visible, ids).await?;
    Ok(by_id(found, |booking: &Booking| booking.id))
}

/// The same, held until the transaction ends.
pub async fn lock(
    tx: &mut Tx,
    visible: &Workspaces,
    ids: &[BookingId],
) -> Result<HashMap<BookingId, Stamped<Booking>>, StoreError> {
    let found = lists::lock::<Row, _>(tx, TABLE, visible, ids).await?;
    Ok(by_id(found, |booking: &Booking| booking.id))
}

/// The bookings of units that take a night from `first` up to, and without, `end`. The units are known to be visible.
/// A unit without any is absent.
pub async fn blocking(
    on: impl Into<Executor<'_>>,
    units: &[UnitId],
    first: Date,
    end: Date,
) -> Result<HashMap<UnitId, Vec<Stamped<Booking>>>, StoreError> {
    let mut arguments = vec![ids(units)];
    arguments.extend(params![first, end]);
    let rows: Vec<Row> = on.into().all(&BLOCKING, arguments).await?;
    Ok(grouped(lists::parsed(rows)?, |booking: &Booking| booking.unit))
}

/// Stores bookings, each once: new ones, or the new content of those that are there. Their workspaces stay. Fails with
/// [`StoreError::is_refused`] when a unit is booked for one of the nights; hold the units and look first.
pub async fn put(tx: &mut Tx, bookings: &[&Booking], now: Timestamp) -> Result<(), StoreError> {
    let rows = bookings.iter().map(|booking| {
        Ok(row![
            booking.id,
            booking.workspace,
            booking.unit,
            booking.product,
            &booking.confirmation_code,
            booking.status.as_str(),
            booking.check_in,
            booking.check_out,
            booking.guests.adults,
            booking.guests.children,
            StoreError::json(&booking.contacts)?,
            booking.platform.clone(),
            booking.payment_status.clone(),
            booking.vetting.as_str(),
        ])
    });
    tx.execute(&PUT, params![Row::put(rows)?, now]).await?;
    Ok(())
}

/// Stores what is known about the guest. Whoever calls holds the booking.
pub async fn set_vetting(
    tx: &mut Tx,
    booking: BookingId,
    status: VettingStatus,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(&SET_VETTING, params![booking, status.as_str(), now]).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
