//! What an authority gives for a document, as plugins and providers write it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A proof that provider or authority attached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Stamp {
    /// Its key: `verifactu-qr`.
    #[schema(examples("verifactu-qr"))]
    pub provider: String,
    /// GOBL's `val`, as the provider gave it: a QR address, a hash.
    pub value: String,
}
