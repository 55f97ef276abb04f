//! JSON and XML as HTML in which names, texts and numbers are told apart. Everything is escaped here.

use std::fmt::Write as _;

/// Longest text that is coloured, bytes; a longer one stays plain.
const COLOURED_MAX: usize = 200_000;

fn escape(text: &str, out: &mut String) {
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
}

fn span(class: &str, text: &str, out: &mut String) {
    // Writing into a string does not fail.
    let _ = write!(out, "<span class=\"{class}\">");
    escape(text, out);
    out.push_str("</span>");
}

fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape(text, &mut out);
    out
}

/// A JSON text, indented. One that cannot be read stays as it is.
pub fn json(text: &str) -> String {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else { return plain(text) };
    let pretty = serde_json::to_string_pretty(&value).unwrap_or_else(|_| text.to_owned());
    if pretty.len() > COLOURED_MAX {
        return plain(&pretty);
    }
    let mut out = String::with_capacity(pretty.len().saturating_mul(2));
    let mut rest = pretty.as_str();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '"' => end_of_text(rest),
            '-' | '0'..='9' | 'a'..='z' => rest.find([',', '\n', ']', '}']).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        match first {
            '"' if after.starts_with(':') => span("name", token, &mut out),
            '"' => span("text", token, &mut out),
            '-' | '0'..='9' | 'a'..='z' => span("number", token, &mut out),
            _ => escape(token, &mut out),
        }
        rest = after;
    }
    out
}

/// Where a JSON text that begins here ends, its quotation marks included.
fn end_of_text(text: &str) -> usize {
    let mut escaped = false;
    for (at, sign) in text.char_indices().skip(1) {
        match sign {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at.saturating_add(1),
            _ => {}
        }
    }
    text.len()
}

/// An XML text as it is, tags coloured.
pub fn xml(text: &str) -> String {
    if text.len() > COLOURED_MAX {
        return plain(text);
    }
    let mut out = String::with_capacity(text.len().saturating_mul(2));
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (before, tag) = rest.split_at(start);
        span("text", before, &mut out);
        let end = tag.find('>').map_or(tag.len(), |end| end.saturating_add(1));
        let (tag, after) = tag.split_at(end);
        span("name", tag, &mut out);
        rest = after;
    }
    escape(rest, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_document_becomes_markup() {
        let html = json(r#"{"a<b>": "</pre><script>\"x\"", "n": -1.5, "t": true}"#);
        assert!(!html.contains("<script") && !html.contains("</pre>"), "{html}");
        for part in [
            "<span class=\"name\">&quot;a&lt;b&gt;&quot;</span>",
            "<span class=\"number\">-1.5</span>",
            "<span class=\"number\">true</span>",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        let html = xml("<a b='1'>x & <script>y</a>");
        assert!(
            html.contains("<span class=\"name\">&lt;script&gt;</span>") && !html.contains("<script"),
            "{html}"
        );
        assert_eq!(json("{broken <"), "{broken &lt;");
    }
}
