//! The faults that only this plugin reports, without its prefix; the others are `einvoice_eu::codes`. A code is stable
//! for ever and never reused.

einvoice_gobl::declare_codes! { "";
    /// The supplier's address lies in another country than the workspace.
    ADDRESS_ABROAD = "ADDRESS-01";
    /// The supplier has no electronic address (PEPPOL-EN16931-R020).
    INBOX_OF_SUPPLIER = "INBOX-01";
    /// The recipient has no electronic address, or one of no scheme (PEPPOL-EN16931-R010, -CL008).
    INBOX_OF_RECIPIENT = "INBOX-02";
    /// A number has not the form of its scheme (PEPPOL-COMMON-R040 to -R053).
    SCHEME_NUMBER = "SCHEME-01";
    /// A number has perhaps not the form of its scheme (PEPPOL-COMMON-R044 to -R056).
    SCHEME_NUMBER_UNUSUAL = "SCHEME-02";
    /// The recipient's number in a register is none of a scheme (BR-CL-11).
    LEGAL_ID = "SCHEME-03";
    /// There is neither a buyer reference nor an order (PEPPOL-EN16931-R003).
    REFERENCE_MISSING = "REFERENCE-01";
    /// A reference does not fit.
    REFERENCE = "REFERENCE-02";
    /// The exemption needs the recipient's VAT number (BR-AE-02, BR-IC-02).
    VAT_NUMBER_MISSING = "VAT-01";
    /// What is outside the scope stands beside what is not (BR-O-11 to BR-O-14).
    OUTSIDE_SCOPE_MIXED = "VAT-02";
    /// The code of an exemption is none of the list (BR-CL-22).
    EXEMPTION_CODE = "VAT-03";
    /// Nothing says when an intra-Community supply was delivered (BR-IC-11).
    DELIVERY_DATE = "DELIVERY-01";
    /// A type of document that the country does not expect (DE-R-017, IS-R-001).
    TYPE_UNUSUAL = "TYPE-01";
    /// Invoices from Greece carry what only myDATA gives (GR-R-001 to GR-R-010).
    GREECE = "GREECE-01";
    /// Between Germans an invoice says whom to ask (DE-R-002, DE-R-005 to -007).
    GERMANY_CONTACT = "GERMANY-01";
    /// Between Germans an invoice has a buyer reference (DE-R-015).
    GERMANY_REFERENCE = "GERMANY-02";
    /// Between Germans a line of the payment terms that starts with a number sign is Skonto (DE-R-018).
    GERMANY_TERMS = "GERMANY-03";
    /// Between Danes few means of payment are allowed (DK-R-005).
    DENMARK_MEANS = "DENMARK-01";
    /// Between Danes a credit note has no negative total (DK-R-016).
    DENMARK_TOTAL = "DENMARK-02";
    /// Danes are registered under their CVR number (DK-R-014, DK-R-017).
    DENMARK_LEGAL_ID = "DENMARK-03";
    /// The supplier's kennitala is missing (IS-R-002).
    ICELAND_SUPPLIER = "ICELAND-01";
    /// The recipient's kennitala is missing (IS-R-004).
    ICELAND_RECIPIENT = "ICELAND-02";
    /// Number of a tax office that is none (IT-R-001).
    ITALY_REGISTRATION = "ITALY-01";
    /// In the Netherlands a party is registered under KVK or OIN (NL-R-003, NL-R-005).
    NETHERLANDS_LEGAL_ID = "NETHERLANDS-01";
    /// Between Dutch few means of payment are allowed (NL-R-008).
    NETHERLANDS_MEANS = "NETHERLANDS-02";
    /// Most Norwegian suppliers state the register of business enterprises (NO-R-002).
    NORWAY_REGISTER = "NORWAY-01";
    /// What a Swedish supplier states of its tax registration (SE-R-005).
    SWEDEN_REGISTRATION = "SWEDEN-01";
    /// In Sweden a party is registered under its organisation number (SE-R-003, SE-R-004, SE-R-013).
    SWEDEN_LEGAL_ID = "SWEDEN-02";
}
