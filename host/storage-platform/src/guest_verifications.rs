//! What whoever vets guests told about the guests of bookings. The status is the booking's own.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::{At, stamped};
use gateway_database::sql::{params, row, statements};
use gateway_database::stored::stored;
use gateway_database::value::Id;
use gateway_domain::ids::BookingId;
use gateway_domain_lists::Stamped;
use gateway_domain_platform::bookings::{GuestVerification, VettingStatus};
use jiff::Timestamp;

stored! {
    struct Row of guest_verification, columns!, put_rows! {
        booking_id: Id;
        ;
        source: Option<String>,
        external_id: Option<String>,
        guest: Option<String>,
    }
}

statements! {
    FIND = both concat!("SELECT ", columns!(), " FROM guest_verification WHERE booking_id = $1");
    PUT = each [(put_rows! engine)];
}

/// What was told of a booking's guest, with the status the booking has; none when nothing was told yet. The booking is
/// known to be visible.
pub async fn find(
    on: impl Into<Executor<'_>>,
    booking: BookingId,
    status: VettingStatus,
) -> Result<Option<Stamped<GuestVerification>>, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![booking]).await?;
    let parsed = row.map(|row| {
        let at = At { table: "guest_verification", id: BookingId(row.booking_id.0) };
        let guest = row.guest.map(|text| at.json("guest", &text)).transpose()?;
        let known = GuestVerification { source: row.source, external_id: row.external_id, guest, status };
        Ok::<_, Corrupt>(stamped(known, row.created_at, row.updated_at))
    });
    Ok(parsed.transpose()?)
}

/// Stores what is known; the status goes to the booking. Whoever calls holds the booking.
pub async fn put(
    tx: &mut Tx,
    booking: BookingId,
    known: &GuestVerification,
    now: Timestamp,
) -> Result<(), StoreError> {
    let guest = known.guest.as_ref().map(StoreError::json).transpose()?;
    let row = row![booking, known.source.clone(), known.external_id.clone(), guest];
    tx.execute(&PUT, params![Row::put([Ok(row)])?, now]).await?;
    Ok(())
}
