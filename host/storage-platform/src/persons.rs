//! Where a person is found in the platform's data, whatever workspace it belongs to.

use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_database::value::Id;
use gateway_domain::ids::{BookingId, UserId};
use gateway_domain_platform::erasure::Person;

statements! {
    // Reads every booking once: nobody lists them by contact, so no index is paid for at every booking.
    BOOKINGS = pg "SELECT id FROM booking WHERE strpos(lower(contacts), $1) > 0 AND id > $2 ORDER BY id LIMIT $3",
        sqlite "SELECT id FROM booking WHERE instr(lower(contacts), $1) > 0 AND id > $2 ORDER BY id LIMIT $3";
    USERS = "SELECT id FROM account WHERE lower(email) = $1 ORDER BY id";
}

/// Bookings whose contacts hold this person's address, in the order of their ids, behind `after`. The address may stand in
/// another member or be the end of a longer one: whoever reads them looks.
pub async fn bookings(
    on: impl Into<Executor<'_>>,
    person: &Person,
    after: BookingId,
    limit: i64,
) -> Result<Vec<BookingId>, StoreError> {
    // As it stands inside a JSON text.
    let quoted = StoreError::json(&person.email())?;
    let written = quoted.trim_matches('"');
    let found: Vec<(Id,)> = on.into().all(&BOOKINGS, params![written, after, limit]).await?;
    Ok(found.into_iter().map(|(id,)| BookingId(id.0)).collect())
}

/// Users with this person's address.
pub async fn users(on: impl Into<Executor<'_>>, person: &Person) -> Result<Vec<UserId>, StoreError> {
    let found: Vec<(Id,)> = on.into().all(&USERS, params![person.email()]).await?;
    Ok(found.into_iter().map(|(id,)| UserId(id.0)).collect())
}
