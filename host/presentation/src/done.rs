//! What the form before did: a word in the address of the page that follows, and the sentence that this page shows for it.

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// What was typed is stored.
    Saved,
    /// A component is there, and serves nobody yet.
    Installed,
    /// A plugin serves no longer.
    OutOfForce,
    /// An event without meaning goes to a webhook.
    TestSent,
    /// A delivery goes out once more.
    SentAgain,
    /// It works again.
    Enabled,
    /// It does nothing until it is enabled.
    Disabled,
    /// What was there is gone.
    Removed,
    /// A workspace sends nothing to a tax authority any more.
    EInvoicingStopped,
}

impl Done {
    const ALL: [Self; 9] = [
        Self::Saved,
        Self::Installed,
        Self::OutOfForce,
        Self::TestSent,
        Self::SentAgain,
        Self::Enabled,
        Self::Disabled,
        Self::Removed,
        Self::EInvoicingStopped,
    ];

    const fn word(self) -> &'static str {
        match self {
            Self::Saved => "saved",
            Self::Installed => "installed",
            Self::OutOfForce => "out-of-force",
            Self::TestSent => "test-sent",
            Self::SentAgain => "sent-again",
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
            Self::Removed => "removed",
            Self::EInvoicingStopped => "e-invoicing-stopped",
        }
    }

    /// What people read.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Saved => "Saved.",
            Self::Installed => "The component is installed. It serves nobody before it is activated.",
            Self::OutOfForce => "The plugin is out of force there.",
            Self::TestSent => "A test is on its way. It stands among the deliveries.",
            Self::SentAgain => "The delivery is on its way again.",
            Self::Enabled => "Enabled.",
            Self::Disabled => "Disabled.",
            Self::Removed => "Removed.",
            Self::EInvoicingStopped => {
                "E-invoicing has stopped: documents of this workspace are issued without a tax authority."
            }
        }
    }

    /// The address of a page that says it; the address may have a query string.
    pub fn address(self, page: &str) -> String {
        let sign = if page.contains('?') { '&' } else { '?' };
        format!("{page}{sign}done={}", self.word())
    }

    /// The sentence of a word in an address; none for an unknown one.
    pub fn sentence_of(word: Option<&str>) -> Option<&'static str> {
        Self::ALL.into_iter().find(|done| Some(done.word()) == word).map(Self::sentence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_words_are_shown_as_their_sentences() {
        for done in Done::ALL {
            assert_eq!(Done::sentence_of(Some(done.word())), Some(done.sentence()));
        }
        assert_eq!(Done::sentence_of(Some("<b>")), None);
        assert_eq!(Done::sentence_of(None), None);
        assert_eq!(Done::Saved.address("/console"), "/console?done=saved");
        assert_eq!(Done::Saved.address("/console?skip=50"), "/console?skip=50&done=saved");
    }
}
