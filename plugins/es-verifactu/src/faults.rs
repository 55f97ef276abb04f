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
    /// The agency's list lacks the recipient's country.
    COUNTRY = "COUNTRY-01";
}
