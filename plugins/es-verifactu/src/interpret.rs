//! The stamps that the provider attaches.

/// The stamp that carries the address where anybody verifies the invoice.
pub const STAMP_QR: &str = "verifactu-qr";
/// The stamp that carries the record's fingerprint.
pub const STAMP_HASH: &str = "verifactu-hash";
