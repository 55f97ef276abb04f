//! The faults that only this plugin reports, without its prefix; the others are `einvoice_eu::codes`. A code is stable
//! for ever and never reused.

einvoice_gobl::declare_codes! { "";
    /// An Italian recipient without VAT number and fiscal code.
    FISCAL_CODE_MISSING = "FISCAL-CODE-01";
    /// A fiscal code that is none.
    FISCAL_CODE_WRONG = "FISCAL-CODE-02";
    /// A number without digit.
    NUMBER_DIGIT = "NUMBER-DIGIT-01";
    /// An Italian postcode that is not five digits.
    POSTCODE = "POSTCODE-01";
    /// A destination code that is not six or seven characters.
    DESTINATION = "DESTINATION-01";
    /// A certified address that is none.
    CERTIFIED_MAIL = "DESTINATION-02";
    /// Whether the recipient is an administration is neither true nor false.
    ADMINISTRATION = "DESTINATION-03";
    /// Supplier and recipient are the same (error 00471).
    SUPPLIER_IS_RECIPIENT = "SAME-PARTY-01";
}
