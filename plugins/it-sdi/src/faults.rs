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
    /// An administration without destination code.
    ADMINISTRATION_CODE = "DESTINATION-04";
    /// A destination code of the wrong length for the document (error 00427).
    DESTINATION_LENGTH = "DESTINATION-05";
    /// A reason of withheld taxes that the file does not know.
    RETENTION_REASON = "WITHHOLDING-01";
    /// The rate of a withheld tax has more than two decimals.
    RETENTION_DECIMALS = "WITHHOLDING-02";
    /// A simplified document with withheld taxes.
    SIMPLIFIED_RETENTION = "SIMPLIFIED-01";
    /// A simplified document with an exemption that it does not know.
    SIMPLIFIED_EXEMPTION = "SIMPLIFIED-02";
    /// When the VAT is due, in none of SdI's codes.
    VAT_LIABILITY = "VAT-LIABILITY-01";
}
