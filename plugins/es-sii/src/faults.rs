//! Every fault this plugin reports. A code is stable for ever and never reused.

einvoice_es::fault_codes! { "ES-SII-";
    /// The regime is not in the agency's list.
    REGIME_UNKNOWN = "REGIME-01";
    /// The lines have different regimes.
    REGIME_MIXED = "REGIME-02";
    /// An export goes out under the general regime.
    REGIME_EXPORT = "REGIME-03";
    /// The product is neither goods nor services.
    PRODUCT_UNKNOWN = "PRODUCT-01";
    /// Some lines say what they sell, others do not.
    PRODUCT_MISSING = "PRODUCT-02";
    /// The mark of articles 7.2 and 7.3 is neither S nor N, or stands on a simplified document.
    ARTICLE_7 = "ARTICLE-7-01";
}
