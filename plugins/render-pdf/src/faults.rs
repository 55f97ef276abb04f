//! Every fault code, for ever: never reuse or renumber one.

use crate::bindings::Fault;

/// The locale is none of [`crate::text::Locale`].
pub const LOCALE: &str = "RENDER-LOCALE-01";
/// The currency is no code of three letters.
pub const CURRENCY: &str = "RENDER-CURRENCY-01";
/// The currency has more than four decimals.
pub const CURRENCY_DECIMALS: &str = "RENDER-CURRENCY-02";
/// A figure is no exact decimal.
pub const AMOUNT: &str = "RENDER-AMOUNT-01";
/// A date is no day of the calendar.
pub const DATE: &str = "RENDER-DATE-01";
/// The document has too many lines.
pub const LINES: &str = "RENDER-LINES-01";
/// Another list has too many members.
pub const COUNT: &str = "RENDER-COUNT-01";
/// A text is too long.
pub const TEXT_LENGTH: &str = "RENDER-TEXT-01";
/// All texts together are too long.
pub const TEXT_TOTAL: &str = "RENDER-TEXT-02";
/// A text that has to say something is empty.
pub const TEXT_EMPTY: &str = "RENDER-TEXT-03";
/// The logo is no PNG that can be read.
pub const LOGO: &str = "RENDER-LOGO-01";
/// The logo has too many bytes or pixels.
pub const LOGO_SIZE: &str = "RENDER-LOGO-02";
/// The accent colour is no `#RRGGBB`.
pub const COLOR: &str = "RENDER-COLOR-01";
/// The content of the QR code is empty or too long.
pub const QR_CONTENT: &str = "RENDER-QR-01";
/// The side of the QR code is out of range.
pub const QR_SIDE: &str = "RENDER-QR-02";
/// The name of an attachment is empty, a path, or there already.
pub const ATTACHMENT_NAME: &str = "RENDER-ATTACHMENT-01";
/// The media type of an attachment is none.
pub const ATTACHMENT_MEDIA_TYPE: &str = "RENDER-ATTACHMENT-02";
/// The attachments are too large.
pub const ATTACHMENT_SIZE: &str = "RENDER-ATTACHMENT-03";
/// The template is no JSON object that fits the schema.
pub const TEMPLATE: &str = "RENDER-TEMPLATE-01";
/// No valid file came of it: a defect of the renderer.
pub const FILE: &str = "RENDER-FILE-01";

/// Every code above.
pub const CODES: [&str; 20] = [
    LOCALE,
    CURRENCY,
    CURRENCY_DECIMALS,
    AMOUNT,
    DATE,
    LINES,
    COUNT,
    TEXT_LENGTH,
    TEXT_TOTAL,
    TEXT_EMPTY,
    LOGO,
    LOGO_SIZE,
    COLOR,
    QR_CONTENT,
    QR_SIDE,
    ATTACHMENT_NAME,
    ATTACHMENT_MEDIA_TYPE,
    ATTACHMENT_SIZE,
    TEMPLATE,
    FILE,
];

/// A fault at a JSON Pointer into the request.
pub(crate) fn fault(code: &str, path: impl Into<String>, message: impl Into<String>) -> Fault {
    Fault { code: code.to_owned(), path: path.into(), message: message.into() }
}
