//! The faults that only this plugin reports, without its prefix; the others are `einvoice_eu::codes`. A code is stable
//! for ever and never reused.

einvoice_gobl::declare_codes! { "";
    /// A Polish company without NIP.
    NIP_MISSING = "NIP-01";
    /// When the correction takes effect is not said in KSeF's terms, or of no correction.
    EFFECTIVE_DATE = "EFFECTIVE-DATE-01";
    /// What the recipient is besides is said without its number, or the number without it.
    MEMBERSHIP = "MEMBERSHIP-01";
    /// A number under which KSeF shows the invoice to no unit.
    UNIT_NUMBER = "MEMBERSHIP-02";
    /// A day that the structure FA(3) does not take.
    DAY_RANGE = "DAY-01";
    /// What is corrected has a number that is none of KSeF's.
    KSEF_NUMBER = "KSEF-NUMBER-01";
    /// The reasons of a correction are too long.
    REASON_LENGTH = "REASON-01";
    /// A line of an address is too long.
    ADDRESS_LENGTH = "ADDRESS-01";
    /// More lines than a file takes.
    LINES_TOO_MANY = "LINES-01";
    /// A quantity or a price has more decimals or digits than a file takes.
    DECIMALS = "DECIMALS-01";
    /// A character that KSeF refuses a file for.
    CHARACTER = "CHARACTER-01";
    /// The file would be too large.
    SIZE = "SIZE-01";
}
