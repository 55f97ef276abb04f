//! What a document, its lines and its recipient may say in `ext`.
//!
//! A plugin lists every key it reads, puts the list into its description and reports the [`objections`]: what nobody
//! reads is a fault, never silently dropped.

use einvoice_plugin::{Ext, Invoice, Line, Recipient};

use crate::mapping::Treatment;
use crate::text::excerpt;

/// A key means nothing to the system where it stands.
pub const UNKNOWN_KEY: &str = "EXT-01";
/// The same is said twice, under two names of the key.
pub const TWICE: &str = "EXT-02";
/// What a line says does not fit its tax.
pub const WRONG_VALUE: &str = "EXT-03";

/// A key that a plugin reads.
#[derive(Debug, Clone, Copy)]
pub struct ExtKey {
    /// Its names; the first is the format's own, where the format has one.
    names: &'static [&'static str],
    title: &'static str,
    of_document: bool,
    /// A line's keys are of its tax.
    of_line: bool,
    of_recipient: bool,
}

impl ExtKey {
    /// A key of the document.
    pub const fn of_document(names: &'static [&'static str], title: &'static str) -> Self {
        Self { names, title, of_document: true, of_line: false, of_recipient: false }
    }

    /// A key of a line's tax. It has to fit what else is said of the tax.
    pub const fn of_tax(names: &'static [&'static str], title: &'static str) -> Self {
        Self { names, title, of_document: false, of_line: true, of_recipient: false }
    }

    /// A key of a line's tax that the document may say for all lines.
    pub const fn of_any_tax(names: &'static [&'static str], title: &'static str) -> Self {
        Self { names, title, of_document: true, of_line: true, of_recipient: false }
    }

    /// A key of the recipient.
    pub const fn of_recipient(names: &'static [&'static str], title: &'static str) -> Self {
        Self { names, title, of_document: false, of_line: false, of_recipient: true }
    }

    /// A key of the recipient that a document may say otherwise; see [`of_document_or_recipient`].
    pub const fn of_document_or_recipient(names: &'static [&'static str], title: &'static str) -> Self {
        Self { of_document: true, ..Self::of_recipient(names, title) }
    }

    fn is_of(&self, place: &ExtOwner) -> bool {
        match place {
            ExtOwner::Document => self.of_document,
            ExtOwner::Line(_) => self.of_line,
            ExtOwner::Recipient => self.of_recipient,
        }
    }

    fn places(&self) -> Vec<&'static str> {
        let places =
            [(self.of_document, "document"), (self.of_line, "line"), (self.of_recipient, "recipient")];
        places.into_iter().filter_map(|(holds, place)| holds.then_some(place)).collect()
    }

    fn description(&self) -> Ext {
        let [name, others @ ..] = self.names else {
            return Ext { key: String::new(), value: self.title.to_owned() };
        };
        let place = self.places().join(" or ");
        let also = if others.is_empty() { String::new() } else { format!(", also: {}", others.join(", ")) };
        Ext { key: (*name).to_owned(), value: format!("{} ({place}{also})", self.title) }
    }
}

/// The keys as a description lists them: the first name, and what it is for.
pub fn described(known: &[ExtKey]) -> Vec<Ext> {
    known.iter().map(ExtKey::description).collect()
}

/// What `ext` says under one of these names; the first name wins.
pub fn find_ext<'a>(ext: &'a [Ext], names: &[&str]) -> Option<&'a Ext> {
    names.iter().find_map(|name| ext.iter().find(|ext| ext.key == *name))
}

/// What `ext` says under any name of the key that has this one.
pub fn of<'a>(known: &[ExtKey], ext: &'a [Ext], name: &str) -> Option<&'a Ext> {
    find_ext(ext, known.iter().find(|known| known.names.contains(&name))?.names)
}

/// What the recipient says besides.
pub fn of_recipient(invoice: &Invoice) -> &[Ext] {
    match &invoice.recipient {
        Some(Recipient::Individual(person)) => &person.ext,
        Some(Recipient::Company(company)) => &company.ext,
        None => &[],
    }
}

/// What the document says under any name of the key that has this one, else what its recipient says; with its JSON
/// Pointer.
pub fn of_document_or_recipient<'a>(
    known: &[ExtKey],
    invoice: &'a Invoice,
    name: &str,
) -> Option<(&'a Ext, String)> {
    let of = |ext: &'a [Ext], place: ExtOwner| {
        let known = known.iter().find(|known| known.names.contains(&name) && known.is_of(&place))?;
        find_ext(ext, known.names).map(|entry| (entry, place.path(&entry.key)))
    };
    of(&invoice.ext, ExtOwner::Document).or_else(|| of(of_recipient(invoice), ExtOwner::Recipient))
}

/// Why a document cannot go out as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtFault {
    /// [`UNKNOWN_KEY`], [`TWICE`] or [`WRONG_VALUE`].
    pub code: &'static str,
    /// JSON Pointer into the document.
    pub path: String,
    /// One sentence, with what to do next.
    pub message: String,
}

#[derive(Clone, Copy)]
enum ExtOwner {
    Document,
    Line(usize),
    Recipient,
}

impl ExtOwner {
    fn path(self, key: &str) -> String {
        let key = key.replace('~', "~0").replace('/', "~1");
        match self {
            Self::Document => format!("/ext/{key}"),
            Self::Line(at) => format!("/lines/{at}/ext/{key}"),
            Self::Recipient => format!("/recipient/ext/{key}"),
        }
    }
}

/// Everything in `ext` of the document, its recipient and its lines that would not go out as it is said. `treatment` is how a line's tax
/// goes out.
pub fn objections(
    system: &str,
    known: &[ExtKey],
    invoice: &Invoice,
    treatment: impl Fn(&Line) -> Option<Treatment>,
) -> Vec<ExtFault> {
    let mut found = Vec::new();
    names(system, known, &invoice.ext, ExtOwner::Document, &mut found);
    names(system, known, of_recipient(invoice), ExtOwner::Recipient, &mut found);
    for (at, line) in invoice.lines.iter().enumerate().filter(|(_, line)| !line.ext.is_empty()) {
        let place = ExtOwner::Line(at);
        names(system, known, &line.ext, place, &mut found);
        let Some(treatment) = treatment(line) else { continue };
        for (ext, names) in of_tax(known, &line.ext) {
            let coded = treatment.ext.iter().find(|(key, _)| names.first() == Some(key));
            if coded.is_some_and(|(_, value)| *value == ext.value) {
                continue;
            }
            let value = excerpt(&ext.value);
            let message = match coded {
                Some((_, coded)) => format!(
                    "'{value}' does not fit the line's tax, which goes out as {coded}; correct one of them."
                ),
                None => format!(
                    "'{value}' does not fit the line's tax, which has no '{}' in {system}; remove it or correct the tax.",
                    excerpt(&ext.key)
                ),
            };
            found.push(ExtFault { code: WRONG_VALUE, path: place.path(&ext.key), message });
        }
    }
    found
}

fn of_tax<'a>(
    known: &'a [ExtKey],
    ext: &'a [Ext],
) -> impl Iterator<Item = (&'a Ext, &'static [&'static str])> {
    known
        .iter()
        .filter(|known| known.of_line)
        .filter_map(|known| Some((find_ext(ext, known.names)?, known.names)))
}

fn names(system: &str, known: &[ExtKey], ext: &[Ext], place: ExtOwner, found: &mut Vec<ExtFault>) {
    for (at, one) in ext.iter().enumerate() {
        let path = place.path(&one.key);
        let Some(key) = known.iter().find(|known| known.names.contains(&one.key.as_str())) else {
            let message = format!(
                "{system} knows nothing under '{}'; use a key its plugin describes or remove it.",
                excerpt(&one.key)
            );
            found.push(ExtFault { code: UNKNOWN_KEY, path, message });
            continue;
        };
        if !key.is_of(&place) {
            let elsewhere = key.places().join(" or ");
            let message = format!("'{}' is a member of the {elsewhere}; say it there.", excerpt(&one.key));
            found.push(ExtFault { code: UNKNOWN_KEY, path, message });
        } else if ext.iter().take(at).any(|other| key.names.contains(&other.key.as_str())) {
            let message = format!(
                "'{}' says a second time what stands under another name of it; remove one of them.",
                excerpt(&one.key)
            );
            found.push(ExtFault { code: TWICE, path, message });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::harness;
    use serde_json::{Value, json};

    const KNOWN: &[ExtKey] = &[
        ExtKey::of_document(&["xx-type", "type"], "Type of the document"),
        ExtKey::of_tax(&["xx-exempt"], "Why it is exempt"),
        ExtKey::of_any_tax(&["xx-regime", "regime"], "Regime"),
        ExtKey::of_document_or_recipient(&["xx-code", "code"], "Where it goes"),
        ExtKey::of_recipient(&["xx-office"], "Office"),
    ];

    fn invoice(document: &Value, line: &Value, recipient: &Value) -> Invoice {
        let lines = json!([{"description": "x", "quantity": "1", "unit_price": "1",
                            "tax": {"category": "VAT", "rate": "21"}, "ext": line}]);
        let recipient = json!({"type": "company", "name": "x", "ext": recipient});
        let document =
            json!({"issue_date": "2026-11-20", "ext": document, "lines": lines, "recipient": recipient});
        harness::invoice(&document).unwrap()
    }

    fn found(document: &Value, line: &Value, recipient: &Value) -> Vec<(&'static str, String)> {
        let invoice = invoice(document, line, recipient);
        let regime =
            find_ext(line_ext(line).as_slice(), &["xx-regime", "regime"]).map(|entry| entry.value.clone());
        let treatment = Treatment { key: None, ext: vec![("xx-regime", regime.unwrap_or_default().into())] };
        let found = objections("XX", KNOWN, &invoice, |_| Some(treatment.clone()));
        found.into_iter().map(|objection| (objection.code, objection.path)).collect()
    }

    fn line_ext(line: &Value) -> Vec<Ext> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let members = line.as_object().into_iter().flatten();
        members.map(|(key, value)| Ext { key: key.clone(), value: text(value) }).collect()
    }

    #[test]
    fn what_is_known_where_it_stands_is_taken() {
        assert_eq!(found(&json!({"type": "1", "regime": "02"}), &json!({"xx-regime": "03"}), &json!({})), []);
        assert_eq!(found(&json!({"code": "1"}), &json!({}), &json!({"xx-code": "2", "xx-office": "3"})), []);
        assert_eq!(found(&json!({}), &json!({}), &json!({})), []);
    }

    #[test]
    fn what_would_be_dropped_is_named_with_its_place() {
        let cases = [
            (json!({"colour": "red"}), json!({}), UNKNOWN_KEY, "/ext/colour"),
            (json!({}), json!({"a/b": "red"}), UNKNOWN_KEY, "/lines/0/ext/a~1b"),
            (json!({}), json!({"type": "1"}), UNKNOWN_KEY, "/lines/0/ext/type"),
            (json!({"xx-exempt": "E1"}), json!({}), UNKNOWN_KEY, "/ext/xx-exempt"),
            (json!({"regime": "01", "xx-regime": "02"}), json!({}), TWICE, "/ext/xx-regime"),
            (json!({}), json!({"xx-exempt": "E1"}), WRONG_VALUE, "/lines/0/ext/xx-exempt"),
        ];
        for (document, line, code, path) in cases {
            assert_eq!(found(&document, &line, &json!({})), [(code, path.to_owned())]);
        }
        let of_recipient = [
            (json!({"colour": "red"}), UNKNOWN_KEY, "/recipient/ext/colour"),
            (json!({"type": "1"}), UNKNOWN_KEY, "/recipient/ext/type"),
            (json!({"code": "1", "xx-code": "2"}), TWICE, "/recipient/ext/xx-code"),
        ];
        for (recipient, code, path) in of_recipient {
            assert_eq!(found(&json!({}), &json!({}), &recipient), [(code, path.to_owned())]);
        }
        assert_eq!(found(&json!({"xx-office": "1"}), &json!({}), &json!({}))[0].1, "/ext/xx-office");
    }

    #[test]
    fn a_document_says_it_otherwise_than_its_recipient() {
        let find_in = |document: Value, recipient: Value| {
            let invoice = invoice(&document, &json!({}), &recipient);
            let entry = of_document_or_recipient(KNOWN, &invoice, "code");
            entry.map(|(ext, path)| (ext.value.clone(), path))
        };
        let at = |value: &str, path: &str| Some((value.to_owned(), path.to_owned()));
        assert_eq!(find_in(json!({"code": "1"}), json!({"xx-code": "2"})), at("1", "/ext/code"));
        assert_eq!(find_in(json!({}), json!({"xx-code": "2"})), at("2", "/recipient/ext/xx-code"));
        assert_eq!(find_in(json!({}), json!({})), None);
    }

    #[test]
    fn a_description_tells_names_and_places() {
        let coded = described(KNOWN);
        let keys_and_titles: Vec<_> =
            coded.iter().map(|ext| (ext.key.as_str(), ext.value.as_str())).collect();
        assert_eq!(
            keys_and_titles,
            [
                ("xx-type", "Type of the document (document, also: type)"),
                ("xx-exempt", "Why it is exempt (line)"),
                ("xx-regime", "Regime (document or line, also: regime)"),
                ("xx-code", "Where it goes (document or recipient, also: code)"),
                ("xx-office", "Office (recipient)"),
            ]
        );
    }
}
