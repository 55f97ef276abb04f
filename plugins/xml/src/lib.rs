//! Writes the XML that tax authorities take: nested elements with attributes and text, indented, anything escaped.
//!
//! The same calls always give the same bytes. Names are written as they are given; those without a prefix get the one of the
//! document, so that a record reads as its schema does.

/// What stands for a character that XML cannot carry.
const REPLACEMENT: char = '\u{FFFD}';

/// Attributes of an element, in their order.
type Attributes<'a> = &'a [(&'a str, &'a str)];

/// A document in the making.
///
/// ```
/// let xml = einvoice_xml::document("a:Root", &[("xmlns:a", "urn:a")], "a", |xml| {
///     xml.text("Name", "A & B");
///     xml.text_with("Amount", &[("currency", "EUR")], "1.00");
/// });
/// let lines = [
///     "<a:Root xmlns:a=\"urn:a\">",
///     "  <a:Name>A &amp; B</a:Name>",
///     "  <a:Amount currency=\"EUR\">1.00</a:Amount>",
///     "</a:Root>\n",
/// ];
/// assert!(xml.ends_with(&lines.join("\n")));
/// ```
#[derive(Debug)]
pub struct Writer {
    xml: String,
    depth: usize,
    prefix: &'static str,
}

/// A whole document: the declaration and one root element. `prefix` is what names without one get; empty for a default
/// namespace, or for none.
pub fn document(
    root: &str,
    attributes: Attributes<'_>,
    prefix: &'static str,
    content: impl FnOnce(&mut Writer),
) -> String {
    let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    let mut writer = Writer { xml: declaration.to_owned(), depth: 0, prefix };
    writer.element_with(root, attributes, content);
    writer.xml
}

impl Writer {
    /// An element with elements inside.
    pub fn element(&mut self, name: &str, content: impl FnOnce(&mut Self)) {
        self.element_with(name, &[], content);
    }

    /// An element with attributes, and elements inside.
    pub fn element_with(&mut self, name: &str, attributes: Attributes<'_>, content: impl FnOnce(&mut Self)) {
        self.indent();
        self.tag("<", name, attributes);
        self.xml.push('\n');
        self.depth += 1;
        content(self);
        self.depth -= 1;
        self.indent();
        self.tag("</", name, &[]);
        self.xml.push('\n');
    }

    /// An element that stands only where something is in it: many schemas refuse empty ones.
    pub fn unless_empty(&mut self, name: &str, content: impl FnOnce(&mut Self)) {
        let before = self.xml.len();
        let mut is_empty = true;
        self.element(name, |xml| {
            let start = xml.xml.len();
            content(xml);
            is_empty = xml.xml.len() == start;
        });
        if is_empty {
            self.xml.truncate(before);
        }
    }

    /// An element with text.
    pub fn text(&mut self, name: &str, text: &str) {
        self.text_with(name, &[], text);
    }

    /// An element with attributes and text.
    pub fn text_with(&mut self, name: &str, attributes: Attributes<'_>, text: &str) {
        self.indent();
        self.tag("<", name, attributes);
        text.chars().for_each(|character| self.escaped(character));
        self.tag("</", name, &[]);
        self.xml.push('\n');
    }

    /// An element with text, if there is any.
    pub fn optional(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    fn indent(&mut self) {
        (0..self.depth).for_each(|_| self.xml.push_str("  "));
    }

    fn tag(&mut self, opening: &str, name: &str, attributes: &[(&str, &str)]) {
        self.xml.push_str(opening);
        if !self.prefix.is_empty() && !name.contains(':') {
            self.xml.push_str(self.prefix);
            self.xml.push(':');
        }
        self.xml.push_str(name);
        for (attribute, value) in attributes {
            self.xml.push(' ');
            self.xml.push_str(attribute);
            self.xml.push_str("=\"");
            value.chars().for_each(|character| self.escaped(character));
            self.xml.push('"');
        }
        self.xml.push('>');
    }

    /// A character that reads back as itself; one that XML 1.0 has no place for becomes U+FFFD.
    fn escaped(&mut self, character: char) {
        match character {
            '&' => self.xml.push_str("&amp;"),
            '<' => self.xml.push_str("&lt;"),
            '>' => self.xml.push_str("&gt;"),
            '"' => self.xml.push_str("&quot;"),
            // A reader turns a bare carriage return into a line feed.
            '\r' => self.xml.push_str("&#13;"),
            '\t' | '\n' => self.xml.push(character),
            '\u{0}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => self.xml.push(REPLACEMENT),
            other => self.xml.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a reader finds in the one element of a document.
    fn read_back(text: &str) -> String {
        let xml = document("a:Root", &[("xmlns:a", "urn:a")], "a", |xml| xml.text("Text", text));
        let read = roxmltree::Document::parse(&xml).unwrap_or_else(|why| panic!("{why}: {xml}"));
        let element = read.descendants().find(|node| node.has_tag_name(("urn:a", "Text"))).unwrap();
        element.text().unwrap_or_default().to_owned()
    }

    #[test]
    fn markup_and_line_ends_in_a_text_stay_text() {
        for text in ["<a>&\"'</a>", "]]>", "&amp;", "a\r\nb\tc", "  ", "", "<!--", "ñ€😀"] {
            assert_eq!(read_back(text), text);
        }
    }

    #[test]
    fn what_xml_has_no_place_for_becomes_the_replacement_character() {
        assert_eq!(read_back("a\u{0}b\u{B}\u{FFFF}"), "a\u{FFFD}b\u{FFFD}\u{FFFD}");
    }

    #[test]
    fn elements_nest_and_absent_ones_are_left_out() {
        let xml = document("a:Root", &[("xmlns:a", "urn:\"a\"&b")], "b", |xml| {
            xml.element("Inner", |xml| {
                xml.optional("None", None);
                xml.optional("a:Some", Some("1"));
            });
        });
        let lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<a:Root xmlns:a=\"urn:&quot;a&quot;&amp;b\">",
            "  <b:Inner>",
            "    <a:Some>1</a:Some>",
            "  </b:Inner>",
            "</a:Root>",
        ];
        assert_eq!(xml.lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn what_is_empty_leaves_nothing_where_a_schema_wants_nothing() {
        let xml = document("Root", &[], "", |xml| {
            xml.unless_empty("Full", |xml| xml.text_with("One", &[("a", "<1>")], "1"));
            xml.unless_empty("Empty", |xml| xml.optional("None", None));
            xml.unless_empty("Outer", |xml| xml.unless_empty("Inner", |_| {}));
        });
        let expected = ["<Root>", "  <Full>", "    <One a=\"&lt;1&gt;\">1</One>", "  </Full>", "</Root>"];
        assert_eq!(xml.lines().skip(1).collect::<Vec<_>>(), expected);
    }

    proptest! {
        #[test]
        fn any_text_survives(text in any::<String>(), wild in proptest::collection::vec(any::<char>(), 0..20)) {
            let text: String = text.chars().chain(wild).collect();
            let kept = |c: char| match c {
                '\t' | '\n' | '\r' => c,
                '\u{0}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => REPLACEMENT,
                other => other,
            };
            prop_assert_eq!(read_back(&text), text.chars().map(kept).collect::<String>());
        }
    }
}
