//! How an approved platform handles a document, and in which business process it stands.

/// What the note BAR says (BR-FR-20): who has to have the document, and what the State.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// Between companies of France: an electronic invoice.
    B2b,
    /// For a company of another country: the platform reports the invoice.
    B2bInt,
    /// For whoever is not subject to VAT: the platform reports the transaction.
    B2c,
    /// The same, of another country.
    B2cInt,
    /// Nothing that the reform is about.
    OutOfScope,
    /// For the archive of the platform alone.
    ArchiveOnly,
}

impl Treatment {
    const ALL: [Self; 6] =
        [Self::B2b, Self::B2bInt, Self::B2c, Self::B2cInt, Self::OutOfScope, Self::ArchiveOnly];

    /// As the note says it.
    pub const fn code(self) -> &'static str {
        match self {
            Self::B2b => "B2B",
            Self::B2bInt => "B2BINT",
            Self::B2c => "B2C",
            Self::B2cInt => "B2CINT",
            Self::OutOfScope => "OUTOFSCOPE",
            Self::ArchiveOnly => "ARCHIVEONLY",
        }
    }

    /// The treatment of a code.
    pub fn of(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.code() == code)
    }

    /// Whether the platform takes what e-reporting asks for, and no invoice.
    pub const fn is_reported(self) -> bool {
        matches!(self, Self::B2c | Self::B2cInt)
    }

    /// All codes, for a message.
    pub fn codes() -> String {
        Self::ALL.map(Self::code).join(", ")
    }
}

/// Business processes (BT-23) that an invoice may have (BR-FR-08).
const PROCESSES: [&str; 20] = [
    "B1", "S1", "M1", "B2", "S2", "M2", "S3", "B4", "S4", "M4", "S5", "S6", "B7", "S7", "B8", "S8", "M8",
    "B9", "S9", "M9",
];

/// Those that the platform's documents have: an ordinary invoice, one after a payment on account, one of a subcontractor or
/// of one of several contractors, one whose VAT was reported before. Not those that are paid (2), of a public contract (3)
/// or of several sellers (8, 9), which say more than a document here does.
pub const OFFERED: [&str; 10] = ["B1", "S1", "M1", "B4", "S4", "M4", "S5", "S6", "B7", "S7"];

/// The process where nobody says another: services, which stays are.
pub const SERVICES: &str = "S1";

/// The process as the list has it; empty when it has not.
pub fn process(code: &str) -> &'static str {
    PROCESSES.into_iter().find(|known| *known == code).unwrap_or_default()
}

/// Goods, services or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// `B…`
    Goods,
    /// `S…`
    Services,
    /// `M…`: both, neither of them incidental to the other.
    Mixed,
}

/// What a process is about.
pub fn nature(process: &str) -> Option<Nature> {
    Some(match process.as_bytes().first()? {
        b'B' => Nature::Goods,
        b'S' => Nature::Services,
        b'M' => Nature::Mixed,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_treatment_is_known_by_its_code() {
        for known in Treatment::ALL {
            assert_eq!(Treatment::of(known.code()), Some(known));
        }
        assert_eq!((Treatment::of("b2b"), Treatment::of("")), (None, None));
    }

    #[test]
    fn what_is_offered_is_a_process_with_a_nature() {
        for code in OFFERED {
            assert_eq!(process(code), code);
            assert!(nature(code).is_some());
        }
        assert_eq!((process("X1"), nature("X1"), nature("")), ("", None, None));
    }
}
