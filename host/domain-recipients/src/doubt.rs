//! Why the register said nothing of a number.

use serde::{Serialize, Serializer};

/// Why nobody knows whether a number is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Doubt {
    /// The member state's own register does not answer.
    MsUnavailable,
    /// Too many ask the member state's register.
    MsMaxConcurrentReq,
    /// Too many ask the Commission's service.
    GlobalMaxConcurrentReq,
    /// The Commission's service does not work.
    ServiceUnavailable,
    /// The member state's register took too long.
    Timeout,
    /// The service does not take the number for one.
    InvalidInput,
    /// The service does not know in whose name it was asked.
    InvalidRequesterInfo,
    /// The number may not be asked about.
    VatBlocked,
    /// The address of this gateway may not ask.
    IpBlocked,
    /// The service gave no answer in time, or could not be reached.
    NoAnswer,
    /// The service answered what nobody here understands.
    Unreadable,
}

impl Doubt {
    /// Each of them.
    pub const ALL: &'static [Self] = &[
        Self::MsUnavailable,
        Self::MsMaxConcurrentReq,
        Self::GlobalMaxConcurrentReq,
        Self::ServiceUnavailable,
        Self::Timeout,
        Self::InvalidInput,
        Self::InvalidRequesterInfo,
        Self::VatBlocked,
        Self::IpBlocked,
        Self::NoAnswer,
        Self::Unreadable,
    ];

    /// The service's own code, or one of the gateway (`NO_ANSWER`, `UNREADABLE`).
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MsUnavailable => "MS_UNAVAILABLE",
            Self::MsMaxConcurrentReq => "MS_MAX_CONCURRENT_REQ",
            Self::GlobalMaxConcurrentReq => "GLOBAL_MAX_CONCURRENT_REQ",
            Self::ServiceUnavailable => "SERVICE_UNAVAILABLE",
            Self::Timeout => "TIMEOUT",
            Self::InvalidInput => "INVALID_INPUT",
            Self::InvalidRequesterInfo => "INVALID_REQUESTER_INFO",
            Self::VatBlocked => "VAT_BLOCKED",
            Self::IpBlocked => "IP_BLOCKED",
            Self::NoAnswer => "NO_ANSWER",
            Self::Unreadable => "UNREADABLE",
        }
    }

    /// By its code, as it is stored.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|doubt| doubt.as_str() == code)
    }

    /// What an error of the service means, which tells some of them with an ending (`MS_MAX_CONCURRENT_REQ_TIME`).
    pub fn of_error(code: &str) -> Self {
        Self::parse(code.strip_suffix("_TIME").unwrap_or(code)).unwrap_or(Self::Unreadable)
    }

    /// Whether asking the same again later can come to something else.
    pub const fn may_pass(self) -> bool {
        match self {
            Self::InvalidInput | Self::VatBlocked => false,
            Self::MsUnavailable
            | Self::MsMaxConcurrentReq
            | Self::GlobalMaxConcurrentReq
            | Self::ServiceUnavailable
            | Self::Timeout
            | Self::InvalidRequesterInfo
            | Self::IpBlocked
            | Self::NoAnswer
            | Self::Unreadable => true,
        }
    }

    /// What somebody can do about it.
    pub(crate) const fn remedy(self) -> &'static str {
        match self {
            Self::MsUnavailable
            | Self::MsMaxConcurrentReq
            | Self::GlobalMaxConcurrentReq
            | Self::ServiceUnavailable
            | Self::Timeout
            | Self::NoAnswer
            | Self::Unreadable => "nothing is to be done: it is asked again",
            Self::InvalidInput | Self::VatBlocked => "ask the recipient for the number",
            Self::InvalidRequesterInfo => "look at the tax id of the workspace",
            Self::IpBlocked => "ask the Commission's help desk to let this gateway ask again",
        }
    }
}

/// By its code.
impl Serialize for Doubt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_it_is_written() {
        for &doubt in Doubt::ALL {
            assert_eq!(Doubt::parse(doubt.as_str()), Some(doubt));
            assert_eq!(Doubt::of_error(doubt.as_str()), doubt);
        }
        assert_eq!(Doubt::of_error("MS_MAX_CONCURRENT_REQ_TIME"), Doubt::MsMaxConcurrentReq);
        assert_eq!(Doubt::of_error("VOW-ERR-1"), Doubt::Unreadable);
        assert_eq!(Doubt::parse("VOW-ERR-1"), None);
    }
}
