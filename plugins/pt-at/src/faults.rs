//! The faults that only this plugin reports, without its prefix; the others are `einvoice_eu::codes`. A code is stable
//! for ever and never reused.

einvoice_gobl::declare_codes! { "";
    /// A number that is not `TYPE SERIES/NUMBER`.
    NUMBER_FORM = "NUMBER-FORM-01";
    /// A number that begins with the type of another sort of document.
    NUMBER_TYPE = "NUMBER-FORM-02";
    /// No series is registered for the document's type.
    SERIES_MISSING = "SERIES-01";
    /// The number's series is not among those that are registered.
    SERIES_UNKNOWN = "SERIES-02";
    /// A rate that is none of the region's on the day.
    REGION_RATE = "REGION-01";
    /// A region that is none.
    REGION = "REGION-02";
    /// An exemption that does not hold on the day.
    EXEMPTION_OVER = "EXEMPTION-01";
    /// A sort of product that is none.
    PRODUCT_TYPE = "PRODUCT-TYPE-01";
    /// A line that takes something off, or whose quantity is nought.
    LINE_NEGATIVE = "LINE-NEGATIVE-01";
    /// More than one document referred to.
    REFERENCES = "REFERENCE-01";
    /// A document referred to whose number is not `TYPE SERIES/NUMBER`.
    REFERENCE_NUMBER = "REFERENCE-02";
    /// A Portuguese postcode that is not `1234-567`.
    POSTCODE = "POSTCODE-01";
    /// An invoice-receipt that does not say how it was paid.
    RECEIPT_MEANS = "RECEIPT-01";
    /// An invoice-receipt that is to be paid by a date.
    RECEIPT_DUE = "RECEIPT-02";
    /// Means of payment of a document that is not paid yet, or that are none.
    PAYMENT_MEANS_UNKNOWN = "RECEIPT-03";
    /// More is withheld than the document comes to.
    RETENTION_TOTAL = "WITHHOLDING-01";
}
