//! The faults that only this plugin reports, without its prefix; the others are `einvoice_eu::codes`. A code is stable
//! for ever and never reused.

einvoice_gobl::declare_codes! { "";
    /// Nothing says whom to ask at the supplier's (BR-DE-5, BR-DE-6).
    CONTACT_MISSING = "CONTACT-01";
    /// The supplier has no address for electronic mail (BR-DE-7).
    CONTACT_EMAIL = "CONTACT-02";
    /// The supplier has no electronic address (PEPPOL-EN16931-R020).
    INBOX_OF_SUPPLIER = "INBOX-01";
    /// The recipient has no electronic address (PEPPOL-EN16931-R010).
    INBOX_OF_RECIPIENT = "INBOX-02";
    /// There is no buyer reference (BR-DE-15).
    BUYER_REFERENCE_MISSING = "BUYER-REFERENCE-01";
    /// The buyer reference is no Leitweg-ID although it looks like one.
    LEITWEG_ID = "BUYER-REFERENCE-02";
    /// The buyer reference does not fit.
    BUYER_REFERENCE = "BUYER-REFERENCE-03";
    /// The exemption needs the recipient's VAT number (BR-AE-02, BR-IC-02).
    VAT_NUMBER_MISSING = "VAT-01";
    /// What is outside the scope stands beside what is not (BR-O-11 to BR-O-14).
    OUTSIDE_SCOPE_MIXED = "VAT-02";
    /// The exemption needs the supplier's VAT number (BR-G-02, BR-IC-02).
    VAT_NUMBER_OF_SUPPLIER = "VAT-03";
    /// Nothing says when an intra-Community supply was delivered (BR-IC-11).
    DELIVERY_DATE = "DELIVERY-01";
}
