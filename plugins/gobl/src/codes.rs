//! Fault codes: how a plugin declares its own, and those that this crate reports for every plugin.

/// Declares fault codes: a constant for each, and `ALL` in order of declaration. What stands before the semicolon goes
/// before every code.
///
/// ```
/// einvoice_gobl::declare_codes! { "XX-";
///     /// The region is unknown.
///     REGION = "REGION-01";
/// }
/// assert_eq!((REGION, ALL), ("XX-REGION-01", &["XX-REGION-01"][..]));
/// ```
#[macro_export]
macro_rules! declare_codes {
    ($prefix:literal; $($(#[$doc:meta])* $name:ident = $code:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = concat!($prefix, $code);)*

        /// All codes, in order of declaration.
        pub const ALL: &[&str] = &[$($name),*];
    };
}

/// The document kind is not supported, or the document cannot be written.
pub(crate) const KIND: &str = "KIND-01";
/// The document has no number yet.
pub(crate) const NUMBER_MISSING: &str = "NUMBER-01";
/// Outlays are not supported.
pub(crate) const LINE_OUTLAY: &str = "LINE-03";
/// A figure has more digits than the format carries.
pub(crate) const FIGURE_TOO_LARGE: &str = "FIGURE-01";
/// A line has neither rate nor exemption, or both.
pub(crate) const TAX_TREATMENT: &str = "TAX-02";
/// The retention is unknown.
pub(crate) const RETENTION_CATEGORY: &str = "RETENTION-01";
/// A retention of the same category appears twice.
pub(crate) const RETENTION_TWICE: &str = "RETENTION-02";
/// The retention's rate is no percent between 0 and 100.
pub(crate) const RETENTION_RATE: &str = "RETENTION-03";

/// The document takes no mark, or the mark is unknown.
pub(crate) const MARK: &str = "MARK-01";

/// A code with the prefix of its plugin.
pub fn full_code(prefix: &str, code: &str) -> String {
    format!("{prefix}-{code}")
}
