//! The faults that only this plugin reports, without its prefix; the others are `einvoice_eu::codes`. A code is stable
//! for ever and never reused.

einvoice_gobl::declare_codes! { "";
    /// A French company has no SIREN, VAT number or SIRET (BR-FR-11).
    SIREN_MISSING = "SIREN-01";
    /// The establishment is none of the supplier's (BR-FR-09).
    SIRET = "SIREN-02";
    /// The supplier's electronic address does not fit (BR-FR-13, BR-FR-22, BR-FR-23).
    INBOX_OF_SUPPLIER = "INBOX-01";
    /// The recipient's electronic address is missing or does not fit (BR-FR-12, BR-FR-21, BR-FR-23).
    INBOX_OF_RECIPIENT = "INBOX-02";
    /// There is no such treatment (BR-FR-20).
    TREATMENT = "TREATMENT-01";
    /// The treatment does not fit the recipient.
    TREATMENT_UNFIT = "TREATMENT-02";
    /// The business process is none that a document here has (BR-FR-08).
    PROCESS = "PROCESS-01";
    /// The business process does not fit the document (BR-FR-CO-08, G1.68).
    PROCESS_UNFIT = "PROCESS-02";
    /// A date lies outside the years 2000 to 2099 (BR-FR-03).
    YEAR = "YEAR-01";
    /// The due date lies before the issue date (BR-FR-CO-07).
    DUE_DATE_EARLY = "DUE-DATE-01";
    /// A quantity has too many decimals (BR-FR-DEC-02).
    QUANTITY_DECIMALS = "DECIMALS-01";
    /// A price has too many decimals (BR-FR-DEC-03).
    PRICE_DECIMALS = "DECIMALS-02";
    /// The exemption needs the recipient's VAT number (BR-AE-02, BR-IC-02).
    VAT_NUMBER_MISSING = "VAT-01";
    /// What is outside the scope stands beside what is not (BR-O-11 to BR-O-14).
    OUTSIDE_SCOPE_MIXED = "VAT-02";
    /// Two reasons of one VAT category (BR-E-01).
    EXEMPTIONS_MIXED = "VAT-03";
    /// Nothing says when an intra-Community supply was delivered (BR-IC-11).
    DELIVERY_DATE = "DELIVERY-01";
    /// The buyer reference does not fit.
    BUYER_REFERENCE = "BUYER-REFERENCE-01";
}
