//! The upper part of the first page: who issues the document, its title and dates, for whom it is.

use crate::bindings::{Document, Party, Request, Stamp};
use crate::flow::{Color, Flow, INK, LEFT, RIGHT, Role, SOFT, Shape, Style, WIDTH};
use crate::qr::{MARGIN_MODULES, Qr};
use crate::structure::{Kind, NodeId};
use crate::text::{Date, Locale};
use krilla::geom::Rect;
use krilla::image::Image;
use std::num::NonZeroU16;

const POINTS_PER_MM: f32 = 72.0 / 25.4;
/// Between the supplier and what stands beside it.
const GUTTER: f32 = 24.0;
const LOGO_WIDTH_MAX: f32 = 180.0;
const LOGO_HEIGHT_MAX: f32 = 54.0;
/// Where the dates begin, beside the recipient, above the totals.
const DETAILS: f32 = 330.28;
const DETAIL_VALUES: f32 = 436.0;

/// What of the request is decoded already.
pub(crate) struct Pictures {
    pub(crate) logo: Option<Image>,
    pub(crate) qr: Option<Qr>,
}

/// The title with the number, as one line.
pub(crate) fn title(document: &Document, locale: Locale) -> String {
    let title = locale.title(document.kind);
    document.number.as_ref().map_or_else(|| title.to_owned(), |number| format!("{title} {number}"))
}

/// Draws the upper part.
pub(crate) fn draw(flow: &mut Flow<'_>, request: &Request, pictures: &Pictures, locale: Locale) {
    // First in reading order, though not on the page.
    let level = NonZeroU16::MIN;
    let title = flow.fonts.clean(&title(&request.document, locale));
    let heading = flow.tree.add(None, Kind::Heading { level, title: title.clone() });
    let top = flow.y;
    let mut below = top;
    let mut width = WIDTH;
    if let Some(stamp) = &request.stamp
        && (pictures.qr.is_some() || !stamp.legend.is_empty())
    {
        let block = draw_stamp(flow, stamp, pictures.qr.as_ref(), locale);
        below = flow.y;
        width = RIGHT - LEFT - block - GUTTER;
    }
    flow.y = top;
    draw_supplier(flow, request, pictures.logo.as_ref(), width, locale);
    flow.y = flow.y.max(below) + 20.0;
    flow.ensure_room(90.0);
    let style = Style::bold(19.0, flow.accent);
    for line in flow.fonts.wrap(style.face, style.size, &title, WIDTH) {
        flow.ensure_room(style.leading());
        flow.y += style.leading();
        flow.text(LEFT, flow.y - 6.0, style, &line, Role::Part(heading));
    }
    let accent = flow.accent;
    flow.fill(LEFT, flow.y + 2.0, 36.0, 2.2, accent, Role::Decoration);
    flow.y += 18.0;
    draw_recipient_and_details(flow, request, locale);
    flow.y += 18.0;
}

/// The QR code with its caption and legend, upper right. Returns how wide it is.
fn draw_stamp(flow: &mut Flow<'_>, stamp: &Stamp, qr: Option<&Qr>, locale: Locale) -> f32 {
    let mut side = 30.0 * POINTS_PER_MM;
    let mut margin = 0.0;
    if let (Some(code), Some(qr)) = (&stamp.qr, qr) {
        side = f32::from(code.side_mm_min) * POINTS_PER_MM;
        // At the sides the page and the gutter are wider than that.
        margin = f32::from(MARGIN_MODULES) * side / qr.modules();
    }
    let block = side.max(114.0);
    let (left, center) = (RIGHT - block, RIGHT - block / 2.0);
    let section = flow.tree.add(None, Kind::Section);
    let style = Style::bold(8.0, INK);
    let caption = stamp.qr.as_ref().and_then(|code| code.caption.as_deref());
    if let Some(caption) = caption {
        let paragraph = flow.tree.add(Some(section), Kind::Paragraph);
        for line in flow.fonts.wrap_words(style.face, style.size, caption, block) {
            flow.y += style.leading();
            flow.text_centered(center, flow.y - 2.5, style, &line, Role::Part(paragraph));
        }
    }
    if let (Some(code), Some(_)) = (&stamp.qr, qr) {
        flow.y += margin;
        let x = left + (block - side) / 2.0;
        draw_qr(flow, section, x, side, &format!("{}: {}", locale.words().qr, code.content));
        flow.y += side + margin;
    }
    let style = Style::regular(7.5, INK);
    for text in &stamp.legend {
        let paragraph = flow.tree.add(Some(section), Kind::Paragraph);
        for line in flow.fonts.wrap_words(style.face, style.size, text, block) {
            flow.y += style.leading();
            flow.text_centered(center, flow.y - 2.0, style, &line, Role::Part(paragraph));
        }
    }
    block
}

fn draw_qr(flow: &mut Flow<'_>, section: NodeId, x: f32, side: f32, alternative: &str) {
    if let Some(bounds) = Rect::from_xywh(x, flow.y, side, side) {
        let alternative = flow.fonts.clean(alternative);
        let figure = Kind::Figure { alternative, page: flow.page_index(), bounds };
        let part = flow.tree.add(Some(section), figure);
        flow.draw(Shape::Qr { x, y: flow.y, side }, Role::Part(part));
    }
}

fn draw_supplier(flow: &mut Flow<'_>, request: &Request, logo: Option<&Image>, width: f32, locale: Locale) {
    let section = flow.tree.add(None, Kind::Section);
    if let Some(logo) = logo {
        let (natural_width, natural_height) = logo.size();
        let pixels = |count: u32| u16::try_from(count).map_or(f32::from(u16::MAX), f32::from).max(1.0);
        let (natural_width, natural_height) = (pixels(natural_width), pixels(natural_height));
        // At most as large as at 96 pixels an inch.
        let scale = (LOGO_WIDTH_MAX / natural_width).min(LOGO_HEIGHT_MAX / natural_height).min(0.75);
        let (width, height) = ((natural_width * scale).max(1.0), (natural_height * scale).max(1.0));
        if let Some(bounds) = Rect::from_xywh(LEFT, flow.y, width, height) {
            let alternative =
                flow.fonts.clean(&format!("{}: {}", locale.words().logo, request.supplier.name));
            let figure = Kind::Figure { alternative, page: flow.page_index(), bounds };
            let part = flow.tree.add(Some(section), figure);
            flow.draw(Shape::Logo { x: LEFT, y: flow.y, width, height }, Role::Part(part));
            flow.y += height + 8.0;
        }
    }
    draw_party(flow, &request.supplier, (LEFT, width), Style::bold(12.0, INK), section);
}

/// Name, tax identifier, address and email, a line each. Moves `y` below them.
fn draw_party(flow: &mut Flow<'_>, party: &Party, (x, width): (f32, f32), name: Style, section: NodeId) {
    let small = Style::regular(8.5, SOFT);
    let words = |text: &str| text.replace('\n', " ");
    flow.paragraph(x, width, name, &words(&party.name), Some(section));
    flow.y += 1.5;
    if let Some(tax_id) = &party.tax_id {
        let text = format!("{}: {}", words(&tax_id.label), words(&tax_id.value));
        flow.paragraph(x, width, Style { color: INK, ..small }, &text, Some(section));
    }
    for line in party.address.iter().chain(&party.email) {
        flow.paragraph(x, width, small, &words(line), Some(section));
    }
}

fn draw_recipient_and_details(flow: &mut Flow<'_>, request: &Request, locale: Locale) {
    // Their height on an empty page; nearly always what a page has left.
    flow.ensure_room(block_height(flow, request));
    let (page, top) = (flow.page_index(), flow.y);
    let width = DETAILS - LEFT - GUTTER;
    if let Some(recipient) = &request.recipient {
        let section = flow.tree.add(None, Kind::Section);
        let heading = Style::bold(7.5, flow.accent);
        flow.paragraph(LEFT, width, heading, locale.words().recipient, Some(section));
        flow.y += 1.5;
        draw_party(flow, recipient, (LEFT, width), Style::bold(10.0, INK), section);
    }
    let below = flow.y;
    if flow.page_index() == page {
        flow.y = top;
    }
    draw_details(flow, &request.document, locale);
    flow.y = flow.y.max(below);
}

fn block_height(flow: &Flow<'_>, request: &Request) -> f32 {
    let Some(recipient) = &request.recipient else { return 60.0 };
    let texts = recipient.address.iter().chain(&recipient.email).chain([&recipient.name, &recipient.name]);
    let width = DETAILS - LEFT - GUTTER;
    let style = Style::bold(10.0, INK);
    let lines = texts.map(|text| flow.fonts.wrap_words(style.face, 8.5, text, width).len()).sum::<usize>();
    (crate::table::to_points(lines) * 8.5 * 1.36 + 60.0).max(90.0)
}

fn draw_details(flow: &mut Flow<'_>, document: &Document, locale: Locale) {
    let words = locale.words();
    let date = |text: Option<&String>| text.and_then(|text| Date::parse(text)).map(|date| locale.date(date));
    let details = [
        (words.number, document.number.clone()),
        (words.issue_date, date(Some(&document.issue_date))),
        (words.operation_date, date(document.operation_date.as_ref())),
        (words.due_date, date(document.due_date.as_ref())),
    ];
    let section = flow.tree.add(None, Kind::Section);
    let (label, value) = (Style::regular(8.5, SOFT), Style::bold(8.5, INK));
    for (name, text) in details {
        let Some(text) = text else { continue };
        let paragraph = flow.tree.add(Some(section), Kind::Paragraph);
        let lines = flow.fonts.wrap_words(value.face, value.size, &text, RIGHT - DETAIL_VALUES);
        for (at, line) in lines.iter().enumerate() {
            flow.y += 14.0;
            if at == 0 {
                flow.text(DETAILS, flow.y - 4.0, label, &format!("{name} "), Role::Part(paragraph));
            }
            flow.text(DETAIL_VALUES, flow.y - 4.0, value, line, Role::Part(paragraph));
        }
    }
}

/// White on a dark accent, dark on a light one.
pub(crate) fn contrasting(background: Color) -> Color {
    let Color(red, green, blue) = background;
    let brightness = u32::from(red) * 299 + u32::from(green) * 587 + u32::from(blue) * 114;
    if brightness > 150_000 { INK } else { Color(255, 255, 255) }
}
