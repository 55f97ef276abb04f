//! The faults that only this plugin reports, without its prefix; the others are `einvoice_eu::codes`. A code is stable
//! for ever and never reused.

einvoice_gobl::declare_codes! { "";
    /// A Polish company without NIP.
    NIP_MISSING = "NIP-01";
    /// When the correction takes effect is not said in KSeF's terms, or of no correction.
    EFFECTIVE_DATE = "EFFECTIVE-DATE-01";
    /// What the recipient is besides is said without its number, or the number without it.
    MEMBERSHIP = "MEMBERSHIP-01";
}
