//! The places of records in their chain, out of the guest's own account of them.

use super::{Exports, wit_chain as wit};
use crate::defect::{Failure, unusable};
use crate::guest::Guest;
use gateway_domain_evidence::ports::UnreadableMessage;
use gateway_domain_evidence::{LINK_TEXT_MAX, LINKS_MAX, Predecessor, RecordLink};
use wasmtime::Store;

/// Longest sentence about a message that cannot be read, characters.
const REASON_MAX: usize = 300;

impl Exports {
    pub(crate) const fn has_chain(&self) -> bool {
        self.chain.is_some()
    }

    pub(crate) async fn links(
        &self,
        store: Store<Guest>,
        message: &str,
    ) -> Result<Result<Vec<RecordLink>, UnreadableMessage>, Failure> {
        let (_, function) = self.chain.as_ref().ok_or(Failure::NotOffered)?;
        let read: Result<Vec<wit::Link>, String> = self.call(store, function, (message,)).await?;
        links(read)
    }
}

fn links(
    read: Result<Vec<wit::Link>, String>,
) -> Result<Result<Vec<RecordLink>, UnreadableMessage>, Failure> {
    match read {
        Ok(links) if links.len() > LINKS_MAX => {
            Err(Failure::Oversize("too many records in a message", LINKS_MAX))
        }
        Ok(links) => links.into_iter().map(link).collect::<Result<_, _>>().map(Ok),
        Err(reason) => Ok(Err(UnreadableMessage(reason.chars().take(REASON_MAX).collect()))),
    }
}

fn link(link: wit::Link) -> Result<RecordLink, Failure> {
    let wit::Link { number, stated, computed, previous } = link;
    let previous = previous.map(|previous| {
        let wit::Predecessor { number, hash } = previous;
        Ok::<_, Failure>(Predecessor { number: text(number)?, hash: text(hash)? })
    });
    Ok(RecordLink {
        number: text(number)?,
        stated: text(stated)?,
        computed: text(computed)?,
        previous: previous.transpose()?,
    })
}

fn text(text: String) -> Result<String, Failure> {
    if text.is_empty() || text.chars().count() > LINK_TEXT_MAX {
        return Err(unusable(format!(
            "a number or hash of a record has to have 1 to {LINK_TEXT_MAX} characters"
        )));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(number: &str) -> wit::Link {
        wit::Link {
            number: number.to_owned(),
            stated: "A".to_owned(),
            computed: "B".to_owned(),
            previous: Some(wit::Predecessor { number: "F-0".to_owned(), hash: "C".to_owned() }),
        }
    }

    #[test]
    fn links_are_read_as_they_stand_and_a_message_that_is_none_is_told() {
        let read = links(Ok(vec![record("F-1")])).unwrap().unwrap();
        let previous = Some(Predecessor { number: "F-0".to_owned(), hash: "C".to_owned() });
        let (number, stated, computed) = ("F-1".to_owned(), "A".to_owned(), "B".to_owned());
        assert_eq!(read, [RecordLink { number, stated, computed, previous }]);
        let refusal = links(Err("no XML".repeat(100))).unwrap().unwrap_err();
        assert_eq!(refusal.0.chars().count(), REASON_MAX);
    }

    #[test]
    fn links_are_bounded() {
        let many = vec![record("F-1"); LINKS_MAX + 1];
        assert!(links(Ok(many[1..].to_vec())).is_ok());
        assert!(matches!(links(Ok(many)), Err(Failure::Oversize(..))));
        for number in [String::new(), "F".repeat(LINK_TEXT_MAX + 1)] {
            assert!(matches!(links(Ok(vec![record(&number)])), Err(Failure::Unusable(_))));
        }
    }
}
