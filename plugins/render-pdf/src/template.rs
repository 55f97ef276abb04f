//! A workspace's own settings of how its documents look.

use crate::bindings::{Fault, Request};
use crate::faults::{self, fault};
use crate::flow::Color;
use serde::Deserialize;

/// JSON Schema (2020-12) of [`Template`].
pub const SCHEMA: &str = r#"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "accent_color": {
      "type": "string",
      "pattern": "^#[0-9A-Fa-f]{6}$",
      "description": "The colour of titles and rules. Keep it dark: it is printed on white."
    },
    "footer": {
      "type": "string",
      "maxLength": 500,
      "pattern": "^([^\\n]*\\n){0,4}[^\\n]*$",
      "description": "What stands at the bottom of every page: the entry in the register, for example. At most 5 lines."
    },
    "show_hash": {
      "type": "boolean",
      "default": true,
      "description": "Whether the authority's proof stands at the end of the document."
    },
    "page_size": { "enum": ["a4"], "default": "a4" }
  }
}"#;

/// Bytes of the JSON.
const BYTES_MAX: usize = 16 << 10;
const FOOTER_CHARS_MAX: usize = 500;
const FOOTER_LINES_MAX: usize = 5;
/// A dark blue.
const ACCENT: Color = Color(0x1d, 0x4e, 0x79);

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Template {
    accent_color: Option<String>,
    footer: Option<String>,
    show_hash: Option<bool>,
    #[serde(rename = "page_size")]
    _page_size: Option<PageSize>,
}

#[derive(Debug, Deserialize)]
enum PageSize {
    #[serde(rename = "a4")]
    A4,
}

/// How this document looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Appearance {
    pub(crate) accent: Color,
    /// May be empty.
    pub(crate) footer: String,
    pub(crate) has_hash: bool,
}

/// What the request and its template say of how the document looks.
pub(crate) fn look(request: &Request) -> Result<Appearance, Vec<Fault>> {
    let template = template(request.template.as_deref())?;
    let footer = template.footer.unwrap_or_default();
    if footer.chars().count() > FOOTER_CHARS_MAX || footer.lines().count() > FOOTER_LINES_MAX {
        let message = format!(
            "The footer has more than {FOOTER_CHARS_MAX} characters or {FOOTER_LINES_MAX} lines; shorten it."
        );
        return Err(vec![fault(faults::TEXT_LENGTH, "/template/footer", message)]);
    }
    let accent = match (&template.accent_color, &request.accent_color) {
        (Some(own), _) => color("/template/accent_color", own)?,
        (None, Some(given)) => color("/accent-color", given)?,
        (None, None) => ACCENT,
    };
    Ok(Appearance { accent, footer, has_hash: template.show_hash.unwrap_or(true) })
}

fn template(json: Option<&str>) -> Result<Template, Vec<Fault>> {
    let Some(json) = json else { return Ok(Template::default()) };
    let refused = |why: String| vec![fault(faults::TEMPLATE, "/template", why)];
    if json.len() > BYTES_MAX {
        return Err(refused(format!("The template has more than {BYTES_MAX} bytes; shorten it.")));
    }
    serde_json::from_str(json)
        .map_err(|error| refused(format!("The template does not fit its schema ({error}); correct it.")))
}

fn color(path: &str, text: &str) -> Result<Color, Vec<Fault>> {
    let channel = |range| text.get(range).and_then(|digits| u8::from_str_radix(digits, 16).ok());
    let is_form =
        text.len() == 7 && text.starts_with('#') && text.bytes().skip(1).all(|byte| byte.is_ascii_hexdigit());
    match (channel(1..3), channel(3..5), channel(5..7)) {
        (Some(red), Some(green), Some(blue)) if is_form => Ok(Color(red, green, blue)),
        _ => Err(vec![fault(faults::COLOR, path, "The colour is not written as #RRGGBB; correct it.")]),
    }
}
