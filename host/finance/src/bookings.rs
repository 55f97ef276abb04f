//! The documents of a booking, as the read model has them.

use crate::Finance;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::BookingId;
use gateway_domain_finance::BookingDocument;
use gateway_storage::booking_documents;

impl Finance {
    /// The documents of a booking that the caller may see, oldest first; none of a booking that nobody knows.
    pub async fn booking_documents(
        &self,
        acting: &Acting,
        booking: BookingId,
    ) -> Result<Vec<BookingDocument>, StoreError> {
        booking_documents::of_booking(self.db(), booking, &acting.workspaces).await
    }
}
