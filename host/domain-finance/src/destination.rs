//! Where the submissions of a database go, so that a real invoice never ends at the stand-in by accident.

/// What the submissions of a database go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination {
    /// The built-in stand-in for provider and authority.
    Sandbox,
    /// The provider that is configured.
    Provider,
}

impl Destination {
    /// As it is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sandbox => "sandbox",
            Self::Provider => "provider",
        }
    }

    /// From what is stored.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Sandbox, Self::Provider].into_iter().find(|destination| destination.as_str() == text)
    }
}

/// Why a database is not for demonstrations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotForDemonstration {
    /// A gateway with a provider served it.
    #[error(
        "the invoices of this database go to a provider, and the demonstration would accept them by itself: give it \
         another data directory with --data-dir, or another database"
    )]
    Provider,
    /// Nobody said yet where its invoices go.
    #[error(
        "invoices of this database wait for a provider, or its workspaces send them to a tax authority, and the \
         demonstration would accept them by itself: give it another data directory with --data-dir, or another database"
    )]
    InUse,
}

/// Whether a demonstration may work on a database: what it finds there ends at the stand-in. `before` is where
/// submissions went so far, `in_use` whether some are on their way or a workspace is configured for them.
pub const fn demonstrable(before: Option<Destination>, in_use: bool) -> Result<(), NotForDemonstration> {
    match (before, in_use) {
        (Some(Destination::Sandbox), _) | (None, false) => Ok(()),
        (Some(Destination::Provider), _) => Err(NotForDemonstration::Provider),
        (None, true) => Err(NotForDemonstration::InUse),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demonstration_works_on_what_is_new_or_its_own() {
        for (before, in_use, allowed) in [
            (None, false, Ok(())),
            (Some(Destination::Sandbox), false, Ok(())),
            (Some(Destination::Sandbox), true, Ok(())),
            (None, true, Err(NotForDemonstration::InUse)),
            (Some(Destination::Provider), false, Err(NotForDemonstration::Provider)),
            (Some(Destination::Provider), true, Err(NotForDemonstration::Provider)),
        ] {
            assert_eq!(demonstrable(before, in_use), allowed, "{before:?} {in_use}");
        }
    }

    #[test]
    fn a_destination_is_read_as_it_was_written() {
        for destination in [Destination::Sandbox, Destination::Provider] {
            assert_eq!(Destination::parse(destination.as_str()), Some(destination));
        }
        assert_eq!(Destination::parse("elsewhere"), None);
    }
}
