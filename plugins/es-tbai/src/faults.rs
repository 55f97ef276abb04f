//! Every fault this plugin reports. A code is stable for ever and never reused.

einvoice_es::fault_codes! { "ES-TBAI-";
    /// Nobody says in which of the three provinces the supplier is.
    REGION_MISSING = "REGION-01";
    /// The region is none of the three provinces.
    REGION_UNKNOWN = "REGION-02";
    /// A natural person in Bizkaia needs the code of the economic activity.
    ACTIVITY_MISSING = "ACTIVITY-01";
    /// The code of the economic activity is malformed.
    ACTIVITY_MALFORMED = "ACTIVITY-02";
    /// There is no description of the operation.
    NOTES_MISSING = "NOTES-02";
    /// More lines than the agency takes.
    LINES_MANY = "LINE-04";
    /// The product is neither goods, services nor resale.
    PRODUCT = "PRODUCT-01";
    /// The regime is not in the agency's list.
    REGIME = "REGIME-01";
    /// Untaxed lines of another territory's tax name different exemptions.
    EXEMPTION_MIXED = "EXEMPTION-01";
    /// More VAT regimes than the treasury takes of one invoice.
    REGIMES_MANY = "REGIME-02";
    /// Nobody says where a recipient of Araba or Gipuzkoa is.
    ADDRESS_MISSING = "ADDRESS-01";
    /// The recipient's postcode has more characters than the treasury takes.
    ADDRESS_POSTCODE = "ADDRESS-02";
}
