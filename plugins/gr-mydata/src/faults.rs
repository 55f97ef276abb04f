//! The faults that only this plugin reports, without its prefix; the others are `einvoice_eu::codes`. A code is stable
//! for ever and never reused.

einvoice_gobl::declare_codes! { "";
    /// A number that is not digits alone (error 212).
    NUMBER_DIGITS = "NUMBER-DIGITS-01";
    /// A document referred to has no registration number (MARK).
    MARK_MISSING = "MARK-01";
    /// The registration number of a document referred to is none.
    MARK_WRONG = "MARK-02";
    /// A document that names another one, of a type that does not.
    CORRELATED = "MARK-03";
    /// A line that comes to nothing, or to less.
    LINE_AMOUNT = "LINE-AMOUNT-01";
    /// A classification of income that myDATA does not know.
    INCOME = "INCOME-01";
    /// A means of payment that myDATA does not know.
    PAYMENT_CODE = "PAYMENT-MEANS-01";
    /// Supplier and recipient are the same (error 235).
    SUPPLIER_IS_RECIPIENT = "SAME-PARTY-01";
    /// A country that is none in myDATA's list.
    COUNTRY = "COUNTRY-01";
}
