//! Writes the elements of a file and holds each text against its simple type on the way.

use einvoice_xml::Writer;

use crate::fa3::{self, SimpleType};

/// A text that is not of its type, or has a character that KSeF refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The element's path in the file: `Fa/FaWiersz[2]/P_7`.
    pub(crate) path: String,
    /// What the schema wants of it.
    pub(crate) demand: String,
}

/// The elements of a file in the making.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    pub(super) xml: &'a mut Writer,
    pub(super) violations: &'a mut Vec<Violation>,
    /// Of the elements around.
    pub(super) path: String,
}

impl Fields<'_> {
    /// An element with elements inside.
    pub(super) fn element(&mut self, name: &str, content: impl FnOnce(&mut Fields<'_>)) {
        self.element_at(name, name, content);
    }

    /// One of several elements of the same name, counted from 1.
    pub(super) fn nth_element(&mut self, name: &str, nth: usize, content: impl FnOnce(&mut Fields<'_>)) {
        self.element_at(name, &format!("{name}[{nth}]"), content);
    }

    /// An element that stands only where something is in it.
    pub(super) fn unless_empty(&mut self, name: &str, content: impl FnOnce(&mut Fields<'_>)) {
        let (path, violations) = (self.below(name), &mut *self.violations);
        self.xml.unless_empty(name, |xml| content(&mut Fields { xml, violations, path }));
    }

    /// An element with a text of the schema's own: a flag, a constant.
    pub(super) fn constant(&mut self, name: &str, text: &str) {
        self.xml.text(name, text);
    }

    /// An element with a text of a type.
    pub(super) fn text(&mut self, name: &str, of: SimpleType, text: &str) {
        let refused = fa3::refused_character(text);
        if !(of.allows)(text) {
            self.violations.push(Violation { path: self.below(name), demand: of.demand.to_owned() });
        } else if let Some(character) = refused {
            let demand = format!("not contain the character U+{:04X}", u32::from(character));
            self.violations.push(Violation { path: self.below(name), demand });
        }
        self.xml.text(name, text);
    }

    /// An element with a text of a type, if there is any.
    pub(super) fn optional(&mut self, name: &str, of: SimpleType, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, of, text);
        }
    }

    /// An element with a text whose white space means nothing (`xsd:token`).
    pub(super) fn token(&mut self, name: &str, of: SimpleType, text: &str) {
        self.text(name, of, &fa3::token(text));
    }

    /// Something that the schema wants and the document has not.
    pub(super) fn missing(&mut self, name: &str, demand: &str) {
        self.violations.push(Violation { path: self.below(name), demand: demand.to_owned() });
    }

    fn element_at(&mut self, name: &str, at: &str, content: impl FnOnce(&mut Fields<'_>)) {
        let (path, violations) = (self.below(at), &mut *self.violations);
        self.xml.element(name, |xml| content(&mut Fields { xml, violations, path }));
    }

    fn below(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}/{name}", self.path) }
    }
}
