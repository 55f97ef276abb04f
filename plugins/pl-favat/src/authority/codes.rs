//! What KSeF says of an invoice, or of the session it came in, by its codes.

/// What a code means for the invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It has a number.
    Accepts,
    /// Nothing is decided yet: there is no number, and no receipt (UPO).
    Pends,
    /// It has not been issued.
    Refuses,
}

/// A code with its meaning and what to do next.
struct Code(&'static str, Effect, &'static str);

/// Who sends what for whom.
pub(super) const RIGHTS: &str = "410";
/// An attachment in a session that takes none.
pub(super) const ATTACHMENT: &str = "415";
/// The file itself.
pub(super) const FILE: &str = "430";
/// The same seller, type and number.
pub const DUPLICATE: &str = "440";
/// What the file says.
pub(super) const CONTENT: &str = "450";

/// All codes: those of invoices, and three of sessions (170, 420, 445).
const CODES: [Code; 15] = [
    Code("100", Effect::Pends, "KSeF has the invoice and will process it; wait for its number."),
    Code("150", Effect::Pends, "KSeF is processing the invoice; wait for its number."),
    Code("170", Effect::Pends, "The session is closed and its receipt (UPO) is not made yet; wait for it."),
    Code("200", Effect::Accepts, "KSeF has taken the invoice."),
    Code("405", Effect::Refuses, "The session was cancelled because of an error; send the invoice again."),
    Code(
        RIGHTS,
        Effect::Refuses,
        "The workspace is not entitled to send for this NIP; grant the permission in KSeF.",
    ),
    Code(
        ATTACHMENT,
        Effect::Refuses,
        "The workspace may not send invoices with attachments; remove the attachment.",
    ),
    Code(
        "420",
        Effect::Refuses,
        "The session has as many invoices as it takes; send the invoice in another.",
    ),
    Code(
        FILE,
        Effect::Refuses,
        "The file was not what was announced, or too large; send it again, or split it.",
    ),
    Code("435", Effect::Refuses, "KSeF could not decrypt the invoice; send it again."),
    Code(
        DUPLICATE,
        Effect::Refuses,
        "KSeF has an invoice with this seller, type and number already; issue a correction instead.",
    ),
    Code(
        "445",
        Effect::Refuses,
        "No invoice of the session was valid; correct the invoice and send it again.",
    ),
    Code(
        CONTENT,
        Effect::Refuses,
        "The invoice breaks the logical structure FA(3), or a rule about its dates or its NIP; correct it.",
    ),
    Code("500", Effect::Refuses, "KSeF failed for an unknown reason; send the invoice again later."),
    Code("550", Effect::Refuses, "KSeF cancelled the operation; send the invoice again later."),
];

/// What a code means, with what to do next.
pub(super) fn meaning(code: &str) -> Option<&'static str> {
    CODES.iter().find(|known| known.0 == code).map(|known| known.2)
}

/// What a code means for the invoice; one that is unknown refuses.
pub(super) fn effect(code: &str) -> Effect {
    CODES.iter().find(|known| known.0 == code).map_or(Effect::Refuses, |known| known.1)
}

/// All codes.
pub fn all() -> impl Iterator<Item = &'static str> {
    CODES.iter().map(|known| known.0)
}
