//! What whoever vets guests tells about the guest of a booking: the only way in which a vetting changes, but for an import.

use super::{NotFound, PlatformError};
use crate::bookings::Bookings;
use gateway_domain::access::Acting;
use gateway_domain::ids::BookingId;
use gateway_domain_lists::Stamped;
use gateway_domain_platform::bookings::{GuestVerification, VerificationChange, VettingStatus};
use gateway_domain_platform::changes;
use gateway_storage::{bookings, creation_clock, guest_verifications};
use serde::Serialize;

/// Where callers have the members of a change.
const MEMBERS: &str = "guest_verification.";

/// What the audit trail tells of a guest who is vetted: nothing about the guest.
#[derive(Serialize)]
struct VerificationData<'a> {
    source: Option<&'a str>,
    external_id: Option<&'a str>,
    from: VettingStatus,
    status: VettingStatus,
}

impl Bookings {
    /// Notes what is known about the guest of a booking now, and moves its vetting where it may go. What is told again
    /// leaves no trace.
    pub async fn verify_guest(
        &self,
        acting: &Acting,
        id: BookingId,
        change: &VerificationChange,
    ) -> Result<Stamped<GuestVerification>, PlatformError> {
        let mut tx = self.context.db().begin().await?;
        // In the order of the commits: whoever asks for what changed since the newest change it knows misses none.
        let now = creation_clock::next(&mut tx, self.context.now()).await?;
        let booking = bookings::lock(&mut tx, &acting.workspaces, &[id]).await?.remove(&id);
        let booking = booking.ok_or_else(|| NotFound::one("booking", "booking_id", id))?;
        let stored = guest_verifications::find(&mut tx, id, booking.vetting).await?;
        let told_before = stored.is_some();
        let kept = stored.unwrap_or_else(|| {
            let value = GuestVerification::bare(booking.vetting);
            Stamped { value, created_at: now, updated_at: booking.updated_at }
        });
        let known = change.over(&kept.value, MEMBERS)?;
        if known == kept.value {
            return Ok(kept);
        }
        guest_verifications::put(&mut tx, id, &known, now).await?;
        if known.status != booking.vetting {
            bookings::set_vetting(&mut tx, id, known.status, now).await?;
        }
        let data = VerificationData {
            source: known.source.as_deref(),
            external_id: known.external_id.as_deref(),
            from: booking.vetting,
            status: known.status,
        };
        let subject = format!("booking:{id}");
        self.context
            .audit()
            .record(&mut tx, &acting.actor, "guest_verification.update", subject, &data)
            .await?;
        let event = changes::guest_verification(booking.workspace, id, known.status);
        self.context.events().append_changes(&mut tx, &acting.actor, &[event]).await?;
        tx.commit_at("guest-verified").await?;
        tracing::info!(booking.id = %id, "The vetting of booking {id} is {}", known.status);
        let created_at = if told_before { kept.created_at } else { now };
        Ok(Stamped { value: known, created_at, updated_at: now })
    }
}
