//! What every Spanish plugin finds wrong with a document, and under which codes.
//!
//! A code has a part of the plugin and a part of the fault: `ES-VERIFACTU` and `NIF-01`. Both are stable for ever and
//! never reused.

#[doc(hidden)]
pub use einvoice_gobl::declare_codes;
use einvoice_gobl::findings::FaultPrefix;

use crate::system::System;

/// Declares the codes of a plugin: a constant for each, and `ALL` in order of declaration.
///
/// ```
/// mod faults {
///     einvoice_es::fault_codes! { "ES-TBAI-";
///         /// The region is unknown.
///         REGION = "REGION-01";
///     }
/// }
/// assert_eq!((faults::NIF, faults::REGION), ("ES-TBAI-NIF-01", "ES-TBAI-REGION-01"));
/// ```
#[macro_export]
macro_rules! fault_codes {
    ($prefix:literal; $($own:tt)*) => {
        $crate::faults::declare_codes! { $prefix;
        /// The document kind is not supported.
        KIND = "KIND-01";
        /// The document asks for a type of the agency's list that it cannot have.
        DOC_TYPE = "DOC-TYPE-01";
        /// The document's UUID is malformed.
        UUID = "UUID-01";
        /// The settings do not fit their schema.
        SETTINGS = "SETTINGS-01";
        /// The document has no number yet.
        NUMBER_MISSING = "NUMBER-01";
        /// The number has more characters than the agency takes.
        NUMBER_LENGTH = "NUMBER-02";
        /// The number has a character the agency refuses.
        NUMBER_CHARACTER = "NUMBER-03";
        /// The issue date is no date.
        DATE_MALFORMED = "DATE-01";
        /// The issue date lies before the system's first day.
        DATE_TOO_EARLY = "DATE-02";
        /// The issue date lies in the future.
        DATE_FUTURE = "DATE-03";
        /// The operation date is no date.
        OPERATION_DATE_MALFORMED = "DATE-04";
        /// The operation date lies after the issue date.
        OPERATION_DATE_LATE = "DATE-05";
        /// The operation date lies more than twenty years back.
        OPERATION_DATE_OLD = "DATE-06";
        /// The due date is no date.
        DUE_DATE_MALFORMED = "DATE-07";
        /// The period of a line is no pair of dates in order.
        PERIOD_MALFORMED = "DATE-08";
        /// There is a due date, and nothing is payable.
        DUE_DATE_NOTHING = "DATE-09";
        /// Another currency than the euro.
        CURRENCY = "CURRENCY-01";
        /// The supplier's name is missing or does not fit.
        SUPPLIER_NAME = "SUPPLIER-01";
        /// The supplier's tax id is no NIF.
        SUPPLIER_NIF = "SUPPLIER-02";
        /// The supplier is not Spanish.
        SUPPLIER_COUNTRY = "SUPPLIER-03";
        /// The company id is no UUID.
        SUPPLIER_COMPANY_ID = "SUPPLIER-04";
        /// The supplier's electronic mail address is malformed.
        SUPPLIER_EMAIL = "SUPPLIER-05";
        /// The supplier's address does not fit.
        SUPPLIER_ADDRESS = "SUPPLIER-06";
        /// There is no recipient.
        RECIPIENT_MISSING = "RECIPIENT-01";
        /// The recipient's name is missing or does not fit.
        RECIPIENT_NAME = "RECIPIENT-02";
        /// The recipient's electronic mail address is malformed.
        RECIPIENT_EMAIL = "RECIPIENT-03";
        /// The recipient's address does not fit.
        RECIPIENT_ADDRESS = "RECIPIENT-04";
        /// The recipient of a simplified document is identified, which the agency does not take.
        RECIPIENT_IDENTIFIED = "RECIPIENT-05";
        /// The recipient is not identified.
        IDENTITY_MISSING = "IDENTITY-01";
        /// The identity number has more than 20 characters.
        IDENTITY_LENGTH = "IDENTITY-02";
        /// The identity number has a character the agency refuses.
        IDENTITY_CHARACTER = "IDENTITY-03";
        /// Nobody says which country the identity number is of.
        IDENTITY_COUNTRY_MISSING = "IDENTITY-04";
        /// There is no such country.
        IDENTITY_COUNTRY_UNKNOWN = "IDENTITY-05";
        /// A Spanish document of a type the agency takes from foreigners only.
        IDENTITY_SPANISH = "IDENTITY-06";
        /// A type of credit note that goes to recipients with a NIF only.
        IDENTITY_NO_NIF = "IDENTITY-07";
        /// The recipient's NIF, NIE or CIF is wrong.
        NIF = "NIF-01";
        /// The recipient has the issuer's NIF.
        NIF_OF_ISSUER = "NIF-02";
        /// A replacement invoice names no simplified invoice.
        REPLACED_MISSING = "PRECEDING-01";
        /// A credit note names no invoice.
        CORRECTED_MISSING = "PRECEDING-02";
        /// A replacement invoice replaces something else than a simplified invoice.
        REPLACED_KIND = "PRECEDING-03";
        /// A credit note for simplified and other invoices together.
        CORRECTED_MIXED = "PRECEDING-04";
        /// A credit note for a credit note.
        CORRECTED_KIND = "PRECEDING-05";
        /// The identifier of a preceding document is no UUID.
        PRECEDING_UUID = "PRECEDING-06";
        /// The number of a preceding document is none the agency takes.
        PRECEDING_NUMBER = "PRECEDING-07";
        /// The issue date of a preceding document is no date.
        PRECEDING_DATE = "PRECEDING-08";
        /// A preceding document was issued after this one.
        PRECEDING_LATE = "PRECEDING-09";
        /// More preceding documents than the agency takes.
        PRECEDING_MANY = "PRECEDING-10";
        /// There are no lines.
        LINES_MISSING = "LINE-01";
        /// The description of a line is missing or does not fit.
        LINE_DESCRIPTION = "LINE-02";
        /// Outlays are not supported.
        LINE_OUTLAY = "LINE-03";
        /// A figure has more digits than the format carries.
        FIGURE_TOO_LARGE = "FIGURE-01";
        /// The tax category is unknown.
        TAX_CATEGORY = "TAX-01";
        /// A line has neither rate nor exemption, or both.
        TAX_TREATMENT = "TAX-02";
        /// The rate never was in use.
        TAX_RATE = "TAX-03";
        /// The rate is not in use on the day of the operation.
        TAX_RATE_EXPIRED = "TAX-04";
        /// The exemption is unknown.
        TAX_EXEMPTION = "TAX-05";
        /// The surcharge does not belong to the rate.
        TAX_SURCHARGE = "TAX-06";
        /// The rate is unusual for its category.
        TAX_RATE_UNUSUAL = "TAX-07";
        /// Prices include tax of more than one category.
        TAX_INCLUDED_MIXED = "TAX-08";
        /// Reverse charge in a document without recipient.
        TAX_REVERSE_CHARGE = "TAX-09";
        /// IPSI with an exemption, which no system has a place for.
        TAX_IPSI_EXEMPT = "TAX-10";
        /// The retention is unknown.
        RETENTION_CATEGORY = "RETENTION-01";
        /// A retention of the same category appears twice.
        RETENTION_TWICE = "RETENTION-02";
        /// The retention's rate is no percent between 0 and 100.
        RETENTION_RATE = "RETENTION-03";
        /// More breakdown rows than the agency takes.
        BREAKDOWN_ROWS = "TOTALS-01";
        /// The total has more digits than the agency takes.
        TOTAL_TOO_LARGE = "TOTALS-02";
        /// A simplified invoice above its limit.
        SIMPLIFIED_LIMIT = "TOTALS-03";
        /// A credit note that credits less than nothing.
        CREDIT_NEGATIVE = "TOTALS-04";
        /// The notes do not fit.
        NOTES = "NOTES-01";
        /// A key of `ext` that means nothing to the system where it stands.
        EXT_UNKNOWN = "EXT-01";
        /// The same is said twice in `ext`.
        EXT_TWICE = "EXT-02";
        /// What a line says in `ext` does not fit its tax.
        EXT_UNFIT = "EXT-03";
        /// The sandbox was given something that is no document of this system.
        SANDBOX_DOCUMENT = "SANDBOX-01";
            $($own)*
        }
    };
}

/// The part of the codes that all plugins share.
pub mod codes {
    fault_codes! { ""; }
}

/// Faults of one system as they are found.
pub type Findings = einvoice_gobl::Findings<&'static System>;

impl FaultPrefix for &'static System {
    fn fault_prefix(&self) -> &'static str {
        self.prefix
    }
}
