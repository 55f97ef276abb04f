//! Every fault this plugin reports. A code is stable for ever and never reused.

einvoice_es::fault_codes! { "ES-VERIFACTU-";
    /// The mark of articles 7.2 and 7.3 is unknown or does not fit the document.
    ARTICLE_7 = "ARTICLE-7-01";
    /// The regime is not in the agency's list.
    REGIME = "REGIME-01";
    /// An export under the general regime.
    REGIME_EXPORT = "REGIME-02";
    /// The regime of the equivalence surcharge without it, or the surcharge under another regime.
    REGIME_SURCHARGE = "REGIME-03";
    /// The line is not taxed as its regime wants it.
    REGIME_TREATMENT = "REGIME-04";
    /// The rate is not the one of the regime.
    REGIME_RATE = "REGIME-05";
    /// The regime wants a base at cost, which documents do not carry.
    REGIME_COST_BASE = "REGIME-06";
    /// The regime is for documents of another type.
    REGIME_DOC_TYPE = "REGIME-07";
    /// The regime is for other recipients.
    REGIME_RECIPIENT = "REGIME-08";
    /// The regime is for operations after the day of issue.
    REGIME_OPERATION_DATE = "REGIME-09";
    /// The agency's list lacks the recipient's country.
    COUNTRY = "COUNTRY-01";
}
