//! The fault codes every country shares, without the prefix of its plugin. Stable for ever, never reused.

einvoice_gobl::declare_codes! { "";
    /// The document kind is not supported.
    KIND = "KIND-01";
    /// The document asks for a type that it cannot have.
    DOC_TYPE = "DOC-TYPE-01";
    /// The document's UUID is malformed.
    UUID = "UUID-01";
    /// The settings do not fit their schema.
    SETTINGS = "SETTINGS-01";
    /// The document has no number yet.
    NUMBER_MISSING = "NUMBER-01";
    /// The number is too long.
    NUMBER_LENGTH = "NUMBER-02";
    /// The number has a character the system refuses.
    NUMBER_CHARACTER = "NUMBER-03";
    /// The issue date is no date.
    DATE_MALFORMED = "DATE-01";
    /// The issue date lies before the system's first day.
    DATE_TOO_EARLY = "DATE-02";
    /// The issue date lies in the future.
    DATE_FUTURE = "DATE-03";
    /// The operation date is no date.
    OPERATION_DATE_MALFORMED = "DATE-04";
    /// The due date is no date.
    DUE_DATE_MALFORMED = "DATE-05";
    /// The period of a line is no pair of dates in order.
    PERIOD_MALFORMED = "DATE-06";
    /// A currency the system does not take.
    CURRENCY = "CURRENCY-01";
    /// A currency in which the tax cannot be declared.
    CURRENCY_FOREIGN = "CURRENCY-02";
    /// The supplier's name is missing or does not fit.
    SUPPLIER_NAME = "SUPPLIER-01";
    /// The supplier's tax id is wrong.
    SUPPLIER_TAX_ID = "SUPPLIER-02";
    /// The supplier is of another country.
    SUPPLIER_COUNTRY = "SUPPLIER-03";
    /// The company id is no UUID.
    SUPPLIER_COMPANY_ID = "SUPPLIER-04";
    /// The supplier's electronic mail address is malformed.
    SUPPLIER_EMAIL = "SUPPLIER-05";
    /// The supplier's address is missing or does not fit.
    SUPPLIER_ADDRESS = "SUPPLIER-06";
    /// There is no recipient.
    RECIPIENT_MISSING = "RECIPIENT-01";
    /// The recipient's name is missing or does not fit.
    RECIPIENT_NAME = "RECIPIENT-02";
    /// The recipient's electronic mail address is malformed.
    RECIPIENT_EMAIL = "RECIPIENT-03";
    /// The recipient's address is missing or does not fit.
    RECIPIENT_ADDRESS = "RECIPIENT-04";
    /// The recipient is not identified.
    IDENTITY_MISSING = "IDENTITY-01";
    /// The identity number is too long or has a character that is refused.
    IDENTITY_NUMBER = "IDENTITY-02";
    /// Nobody says which country the identity number is of.
    IDENTITY_COUNTRY_MISSING = "IDENTITY-03";
    /// There is no such country.
    IDENTITY_COUNTRY_UNKNOWN = "IDENTITY-04";
    /// The recipient's tax number is wrong.
    TAX_NUMBER = "IDENTITY-05";
    /// A correction names no document.
    CORRECTED_MISSING = "PRECEDING-01";
    /// The identifier of a preceding document is no UUID.
    PRECEDING_UUID = "PRECEDING-02";
    /// The number of a preceding document is none the system takes.
    PRECEDING_NUMBER = "PRECEDING-03";
    /// The issue date of a preceding document is no date.
    PRECEDING_DATE = "PRECEDING-04";
    /// A preceding document was issued after this one.
    PRECEDING_LATE = "PRECEDING-05";
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
    /// The rate is none this system takes.
    TAX_RATE = "TAX-03";
    /// The rate is unusual for the day.
    TAX_RATE_UNUSUAL = "TAX-04";
    /// The exemption is unknown.
    TAX_EXEMPTION = "TAX-05";
    /// There is no surcharge in this country.
    TAX_SURCHARGE = "TAX-06";
    /// The retention is unknown.
    RETENTION_CATEGORY = "RETENTION-01";
    /// A retention of the same category appears twice.
    RETENTION_TWICE = "RETENTION-02";
    /// The retention's rate is no percent between 0 and 100.
    RETENTION_RATE = "RETENTION-03";
    /// The total has more digits than the system takes.
    TOTAL_TOO_LARGE = "TOTALS-01";
    /// A simplified invoice above its limit.
    SIMPLIFIED_LIMIT = "TOTALS-02";
    /// The notes do not fit.
    NOTES = "NOTES-01";
    /// The document has to be paid, but nothing says how.
    PAYMENT_MEANS = "PAYMENT-01";
    /// The payment terms do not fit.
    PAYMENT_TERMS = "PAYMENT-02";
    /// A key of `ext` that means nothing to the system where it stands.
    EXT_UNKNOWN = "EXT-01";
    /// The same is said twice in `ext`.
    EXT_TWICE = "EXT-02";
    /// What a line says in `ext` does not fit its tax.
    EXT_UNFIT = "EXT-03";
    /// The sandbox was given something that is no document of this system.
    SANDBOX_DOCUMENT = "SANDBOX-01";
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn no_code_changes_or_is_used_twice() {
        let pinned = "KIND-01 DOC-TYPE-01 UUID-01 SETTINGS-01 NUMBER-01 NUMBER-02 NUMBER-03 DATE-01 DATE-02 DATE-03 \
                      DATE-04 DATE-05 DATE-06 CURRENCY-01 CURRENCY-02 SUPPLIER-01 SUPPLIER-02 SUPPLIER-03 SUPPLIER-04 SUPPLIER-05 \
                      SUPPLIER-06 RECIPIENT-01 RECIPIENT-02 RECIPIENT-03 RECIPIENT-04 IDENTITY-01 IDENTITY-02 \
                      IDENTITY-03 IDENTITY-04 IDENTITY-05 PRECEDING-01 PRECEDING-02 PRECEDING-03 PRECEDING-04 \
                      PRECEDING-05 LINE-01 LINE-02 LINE-03 FIGURE-01 TAX-01 TAX-02 TAX-03 TAX-04 TAX-05 TAX-06 \
                      RETENTION-01 RETENTION-02 RETENTION-03 TOTALS-01 TOTALS-02 NOTES-01 PAYMENT-01 PAYMENT-02 \
                      EXT-01 EXT-02 EXT-03 SANDBOX-01";
        assert_eq!(ALL.join(" "), pinned);
        assert!(ALL.iter().enumerate().all(|(at, code)| !ALL[..at].contains(code)));
    }
}
