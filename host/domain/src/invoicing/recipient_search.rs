//! How documents are found by whom they are for: words of the name, and the tax id.

use super::Invoice;
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Most characters of a term; what is longer is found by its beginning.
const TERM_CHARS_MAX: usize = 64;
/// Most words of a name that it is found by.
const TERMS_MAX: usize = 32;
/// Most words of a search.
const WORDS_MAX: usize = 8;

/// What a recipient is looked for by: each word begins a word of the name, or the tax id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientSearch(Vec<String>);

impl RecipientSearch {
    /// What was typed; none without a letter or digit. Case, accents and punctuation do not matter. What has a digit is taken
    /// as a whole, because tax ids are written with and without spaces.
    pub fn parse(text: &str) -> Option<Self> {
        let has_digit = text.chars().any(char::is_numeric);
        let words = if has_digit { vec![squeezed(text)] } else { words(text).take(WORDS_MAX).collect() };
        let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
        (!words.is_empty()).then_some(Self(words))
    }

    /// Each as it is looked for: from this term on, up to and without that one.
    pub fn ranges(&self) -> impl Iterator<Item = (String, String)> {
        self.0.iter().map(|word| (word.clone(), format!("{word}{}", char::MAX)))
    }
}

/// What a document is found by: each word of its recipient's name, the name as a whole, and the tax id.
pub fn recipient_terms(invoice: &Invoice) -> BTreeSet<String> {
    let Some(recipient) = &invoice.content.recipient else { return BTreeSet::new() };
    terms(recipient.name(), recipient.tax_id())
}

/// The same of a name and a tax id.
pub fn terms(name: &str, tax_id: Option<&str>) -> BTreeSet<String> {
    let whole = [squeezed(name), tax_id.map(squeezed).unwrap_or_default()];
    let mut terms: BTreeSet<String> = words(name).take(TERMS_MAX).chain(whole).collect();
    terms.remove("");
    terms
}

/// Without case and accents.
fn folded(text: &str) -> impl Iterator<Item = char> {
    text.nfkd().filter(|letter| !is_combining_mark(*letter)).flat_map(char::to_lowercase)
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let text: String = folded(text).collect();
    let words: Vec<String> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| word.chars().take(TERM_CHARS_MAX).collect())
        .collect();
    words.into_iter()
}

/// Letters and digits alone.
fn squeezed(text: &str) -> String {
    folded(text).filter(|letter| letter.is_alphanumeric()).take(TERM_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn finds(search: &str, name: &str, tax_id: &str) -> bool {
        let terms = terms(name, Some(tax_id));
        let search = RecipientSearch::parse(search).unwrap();
        search.ranges().all(|(from, to)| terms.range(from..to).next().is_some())
    }

    #[test]
    fn a_recipient_is_found_by_any_word_of_the_name_and_by_the_tax_id() {
        for search in ["María", "maria garcia", "GARCÍA lóp", "gar mar", "12345678-Z", "12 345 678 z", "1234"]
        {
            assert!(finds(search, "María García López", "12345678Z"), "{search}");
        }
        for search in ["arcia", "maria perez", "2345", "12345678X"] {
            assert!(!finds(search, "María García López", "12345678Z"), "{search}");
        }
    }

    #[test]
    fn a_name_with_a_number_is_found_as_a_whole() {
        assert!(finds("Apartamentos 2000", "Apartamentos 2000 S.L.", "B98602642"));
        assert!(finds("apartamentos", "Apartamentos 2000 S.L.", "B98602642"));
    }

    #[test]
    fn without_letters_and_digits_there_is_nothing_to_look_for() {
        assert_eq!(RecipientSearch::parse(""), None);
        assert_eq!(RecipientSearch::parse(" - ./ "), None);
    }

    proptest! {
        #[test]
        fn whatever_a_recipient_is_called_its_own_name_finds_it(name in ".{1,80}") {
            if let Some(search) = RecipientSearch::parse(&name) {
                let terms = terms(&name, None);
                for (from, to) in search.ranges() {
                    prop_assert!(terms.range(from..to).next().is_some());
                }
            }
        }
    }
}
