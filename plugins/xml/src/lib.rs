//! Writes XML for the tax agency: nested elements with text, indented, any text escaped.

/// What stands for a character that XML cannot carry.
const REPLACEMENT: char = '\u{FFFD}';

/// A document in the making. Names without a prefix get the default one.
///
/// ```
/// let xml = einvoice_xml::document("a:Root", &[("xmlns:a", "urn:a")], "a", |xml| xml.text("Name", "A & B"));
/// assert!(xml.ends_with("<a:Root xmlns:a=\"urn:a\">\n  <a:Name>A &amp; B</a:Name>\n</a:Root>\n"));
/// ```
#[derive(Debug)]
pub struct Writer {
    xml: String,
    depth: usize,
    prefix: &'static str,
}

/// A whole document: the declaration and one root element.
pub fn document(
    root: &str,
    attributes: &[(&str, &str)],
    prefix: &'static str,
    content: impl FnOnce(&mut Writer),
) -> String {
    let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    let mut writer = Writer { xml: declaration.to_owned(), depth: 0, prefix };
    writer.nested(root, attributes, content);
    writer.xml
}

impl Writer {
    /// An element with elements inside.
    pub fn element(&mut self, name: &str, content: impl FnOnce(&mut Self)) {
        self.nested(name, &[], content);
    }

    /// An element with text.
    pub fn text(&mut self, name: &str, text: &str) {
        self.indent();
        self.tag("<", name, &[]);
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

    fn nested(&mut self, name: &str, attributes: &[(&str, &str)], content: impl FnOnce(&mut Self)) {
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

    fn indent(&mut self) {
        (0..self.depth).for_each(|_| self.xml.push_str("  "));
    }

    fn tag(&mut self, opening: &str, name: &str, attributes: &[(&str, &str)]) {
        self.xml.push_str(opening);
        if !name.contains(':') {
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
