//! Every fault this plugin reports. A code is stable for ever and never reused.

einvoice_es::fault_codes! { "ES-SII-";
    /// The regime is not in the agency's list.
    REGIME_UNKNOWN = "REGIME-01";
    /// The lines have different regimes.
    REGIME_MIXED = "REGIME-02";
    /// An export goes out under the general regime.
    REGIME_EXPORT = "REGIME-03";
    /// Something that is not exempt goes out under the regime of exports.
    REGIME_NO_EXPORT = "REGIME-04";
    /// The product is neither goods nor services.
    PRODUCT_UNKNOWN = "PRODUCT-01";
    /// Some lines say what they sell, others do not.
    PRODUCT_MISSING = "PRODUCT-02";
    /// A service to a recipient who is not Spanish carries an equivalence surcharge.
    PRODUCT_SURCHARGE = "PRODUCT-03";
    /// The mark of articles 7.2 and 7.3 is neither S nor N, or stands on a simplified document.
    ARTICLE_7 = "ARTICLE-7-01";
    /// The agency's list lacks the recipient's country.
    COUNTRY = "COUNTRY-01";
    /// The rate has more decimals than the books hold.
    RATE_DECIMALS = "RATE-01";
    /// IGIC is exempt by an article that has no counterpart in the islands.
    IGIC_EXEMPTION = "IGIC-01";
    /// More taxed rows than the books hold.
    TAXED_ROWS = "BREAKDOWN-01";
}
