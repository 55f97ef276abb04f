//! Documents for people: from a document with its figures to PDF/A-3b (ISO 19005-3) with the structure that PDF/UA-1
//! (ISO 14289-1) asks for, on A4.
//!
//! A **pure function**: no clock, no files, no network, no randomness. The same request gives the same bytes, natively and as
//! a component. It knows no country and adds nothing up; `wit/render-v1` says what comes with the call.
//!
//! | module | does |
//! |---|---|
//! | [`check`] | everything that keeps a request from being rendered |
//! | [`faults`] | every fault code, for ever |
//! | [`template`] | a workspace's own settings |
//! | [`text`] | languages: words, dates, how figures are written |
//! | [`money`] | figures, from text to text |
//! | `fonts` | the fonts, widths, lines of text |
//! | `flow` | pages as lists of marks, filled from top to bottom |
//! | `head`, `body`, `table` | what stands where |
//! | `qr`, `logo` | pictures |
//! | `structure` | headings, paragraphs and tables for those who do not look at the page |
//! | `paint` | from marks to the file |
//!
//! Everything is laid out first and drawn then: `page 1 of 3` is known when the last page is full.
//!
//! # How to
//! - *add a language*: see [`text`];
//! - *add something to the page*: draw it in `head` or `body` by `Flow`, under a part of `Flow::tree`, and look at what
//!   `RENDER_SAMPLES=FOLDER cargo test -p render-pdf every_sample` writes;
//! - *add a setting of the template*: a member of `template::Template` and of [`template::SCHEMA`], with a default that changes no
//!   document of today;
//! - *add a fault*: a constant at the end of its group in [`faults`], and a case to `tests/faults.rs`.

#[expect(
    clippy::same_length_and_capacity,
    reason = "generated: the canonical ABI hands over exact allocations"
)]
#[expect(clippy::unsafe_derive_deserialize, reason = "generated: only tests read requests from JSON")]
pub mod bindings;
mod body;
pub mod check;
pub mod faults;
mod flow;
mod fonts;
mod head;
mod logo;
pub mod money;
mod paint;
mod qr;
mod structure;
mod table;
pub mod template;
pub mod text;

use bindings::{Description, Document, Ext, Fault, Guest, Request};
use body::AmountFormat;
use flow::{FOOTER, FOOTER_LEADING, Flow, LEFT, Mark, RIGHT, Role, SOFT, Shape, Style, WIDTH};
use fonts::Fonts;
use head::Pictures;
use money::Currency;
use paint::DocumentProperties;
use template::Appearance;
use text::{Date, Locale};

/// The renderer.
#[derive(Debug)]
pub struct RenderPdf;

impl Guest for RenderPdf {
    fn describe() -> Description {
        describe()
    }

    fn render(request: Request) -> Result<Vec<u8>, Vec<Fault>> {
        render(&request)
    }
}

#[cfg(target_family = "wasm")]
#[expect(unsafe_code, unreachable_pub, reason = "generated: what the linker makes a component by")]
mod component {
    use crate::RenderPdf;

    crate::bindings::export_renderer!(RenderPdf with_types_in crate::bindings::generated);
}

/// What this renderer is.
pub fn describe() -> Description {
    Description {
        name: env!("CARGO_PKG_NAME").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        media_type: "application/pdf".to_owned(),
        locales: Locale::ALL.map(|locale| locale.key().to_owned()).to_vec(),
        page_sizes: vec!["a4".to_owned()],
        template_schema: template::SCHEMA.to_owned(),
        ext: Vec::new(),
    }
}

/// The PDF.
///
/// # Errors
/// Everything that is wrong with the request; never an empty list.
pub fn render(request: &Request) -> Result<Vec<u8>, Vec<Fault>> {
    let mut findings = check::check(request);
    let look = template::look(request).map_err(|found| findings.extend(found)).ok();
    let (locale, date) = (Locale::parse(&request.locale), Date::parse(&request.document.issue_date));
    let (Some(look), Some(locale), Some(date), true) = (look, locale, date, findings.is_empty()) else {
        return Err(findings);
    };
    let fonts = Fonts::load()?;
    let pictures = Pictures {
        logo: request.logo.as_deref().map(logo::decode).transpose()?,
        qr: request
            .stamp
            .as_ref()
            .and_then(|stamp| stamp.qr.as_ref())
            .map(|code| qr::Qr::new(&code.content))
            .transpose()?,
    };
    let title = head::title(&request.document, locale);
    let laid_out = lay_out(&fonts, request, &pictures, &look, locale).finish();
    let supplier = &request.supplier;
    let tax_id = supplier.tax_id.as_ref().map_or(supplier.name.as_str(), |tax_id| tax_id.value.as_str());
    let about = DocumentProperties {
        id: fonts.clean(&format!("{tax_id}:{title}:{}", request.document.issue_date)),
        title: fonts.clean(&title),
        author: fonts.clean(&supplier.name),
        language: locale.key(),
        date,
    };
    paint::paint(&fonts, &pictures, laid_out, &about, &request.attachments)
}

fn lay_out<'a>(
    fonts: &'a Fonts,
    request: &Request,
    pictures: &Pictures,
    look: &Appearance,
    locale: Locale,
) -> Flow<'a> {
    let document = &request.document;
    let repeated = format!("{} · {}", request.supplier.name, head::title(document, locale));
    let small = Style::regular(7.5, SOFT);
    let footer = match look.footer.trim() {
        "" => Vec::new(),
        text => fonts.wrap(small.face, small.size, text, WIDTH),
    };
    let mut flow = Flow::new(fonts, look.accent, &repeated, u16::try_from(footer.len()).unwrap_or_default());
    head::draw(&mut flow, request, pictures, locale);
    let currency = Currency { code: &document.currency, decimals: document.currency_decimals };
    let hash = request.stamp.as_ref().and_then(|stamp| stamp.hash.as_deref()).filter(|_| look.has_hash);
    body::draw(&mut flow, document, hash, AmountFormat { currency, locale });
    draw_margins(&mut flow, &footer, small, locale);
    if document.is_draft {
        let words = locale.words();
        let text = if is_rejected(document) { words.rejected } else { words.draft };
        let shape = Shape::Watermark { text: text.to_owned() };
        flow.draw_everywhere(&Mark { shape, role: Role::Watermark });
    }
    flow
}

/// Whether the authority rejected it: the key `status`, which older gateways do not give.
fn is_rejected(document: &Document) -> bool {
    document.is_draft && document.ext.iter().any(|Ext { key, value }| key == "status" && value == "rejected")
}

/// The footer and the number of every page.
fn draw_margins(flow: &mut Flow<'_>, footer: &[String], style: Style, locale: Locale) {
    let mut y = FOOTER - 4.0;
    for line in footer.iter().rev() {
        y -= FOOTER_LEADING;
        let text = flow.fonts.clean(line);
        flow.draw_everywhere(&Mark { shape: Shape::Text { x: LEFT, y, style, text }, role: Role::Footer });
    }
    let count = flow.page_count();
    for page in 0..count {
        let text = locale.page(page + 1, count);
        let x = RIGHT - flow.fonts.width(style.face, style.size, &text);
        flow.draw_on(page, Mark { shape: Shape::Text { x, y: FOOTER, style, text }, role: Role::Footer });
    }
}
