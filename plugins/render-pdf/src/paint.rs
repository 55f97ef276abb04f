//! From pages as lists of marks to the file: PDF/A-3b, PDF/UA-1.

use crate::bindings::{Attachment, Fault, Relationship};
use crate::faults::{self, fault};
use crate::flow::{Color, Mark, PAGE, Role, Shape, Style};
use crate::fonts::{Face, Fonts};
use crate::head::Pictures;
use crate::structure::Tree;
use crate::text::Date;
use krilla::color::rgb;
use krilla::configure::{Accessibility, Archival, ConfigurationBuilder};
use krilla::destination::XyzDestination;
use krilla::embed::{AssociationKind, EmbeddedFile, MimeType};
use krilla::geom::{PathBuilder, Point, Rect, Size, Transform};
use krilla::metadata::{DateTime, Metadata};
use krilla::num::NormalizedF32;
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::{Fill, FillRule};
use krilla::surface::Surface;
use krilla::tagging::{Artifact, ArtifactType, ContentTag, SpanTag};
use krilla::{Document, SerializeSettings};

/// What the file says of itself.
pub(crate) struct DocumentProperties {
    pub(crate) title: String,
    pub(crate) author: String,
    /// Names this document and no other.
    pub(crate) id: String,
    pub(crate) language: &'static str,
    pub(crate) date: Date,
}

/// Draws the pages, and makes the file of them.
pub(crate) fn paint(
    fonts: &Fonts,
    pictures: &Pictures,
    (pages, mut tree): (Vec<Vec<Mark>>, Tree),
    about: &DocumentProperties,
    attachments: &[Attachment],
) -> Result<Vec<u8>, Vec<Fault>> {
    let broken =
        |why: &str| vec![fault(faults::FILE, "", format!("No valid PDF came of it ({why}); report it."))];
    let configuration = ConfigurationBuilder::new()
        .with_archival_validator(Archival::A3_B)
        .with_accessibility_validator(Accessibility::UA1)
        .finish()
        .map_err(|_| broken("configuration"))?;
    let mut document =
        Document::new_with(SerializeSettings { configuration, ..SerializeSettings::default() });
    for marks in &pages {
        let size = PageSettings::from_wh(PAGE.0, PAGE.1).ok_or_else(|| broken("page"))?;
        let mut page = document.start_page_with(size);
        let mut surface = page.surface();
        for mark in marks {
            draw(&mut surface, fonts, pictures, &mut tree, mark);
        }
        surface.finish();
        page.finish();
    }
    document.set_tag_tree(tree.into_tags(about.language));
    document.set_metadata(metadata(about));
    let mut outline = Outline::new();
    outline
        .push_child(OutlineNode::new(about.title.clone(), XyzDestination::new(0, Point::from_xy(0.0, 0.0))));
    document.set_outline(outline);
    for attachment in attachments {
        let file = embedded(attachment, fonts, about.date).ok_or_else(|| broken("attachment"))?;
        document.embed_file(file).ok_or_else(|| broken("attachment"))?;
    }
    document.finish().map_err(|error| broken(&format!("{error:?}").chars().take(200).collect::<String>()))
}

fn metadata(about: &DocumentProperties) -> Metadata {
    Metadata::new()
        .title(about.title.clone())
        .authors(vec![about.author.clone()])
        .producer(concat!("render-pdf ", env!("CARGO_PKG_VERSION")).to_owned())
        .document_id(about.id.clone())
        .language(about.language.to_owned())
        .creation_date(midnight(about.date))
}

/// There is no clock: the date of the document, at the beginning of the day in UTC.
fn midnight(date: Date) -> DateTime {
    let day = DateTime::new(date.year).month(date.month).day(date.day);
    day.hour(0).minute(0).second(0).utc_offset_hour(0).utc_offset_minute(0)
}

fn embedded(attachment: &Attachment, fonts: &Fonts, date: Date) -> Option<EmbeddedFile> {
    Some(EmbeddedFile {
        path: attachment.name.clone(),
        mime_type: Some(MimeType::new(&attachment.media_type)?),
        description: Some(fonts.clean(attachment.description.as_ref().unwrap_or(&attachment.name))),
        association_kind: match attachment.relationship {
            Relationship::Source => AssociationKind::Source,
            Relationship::Data => AssociationKind::Data,
            Relationship::Alternative => AssociationKind::Alternative,
            Relationship::Supplement => AssociationKind::Supplement,
            Relationship::Unspecified => AssociationKind::Unspecified,
        },
        data: attachment.content.clone().into(),
        modification_date: Some(midnight(date)),
        compress: None,
        location: None,
    })
}

fn draw(surface: &mut Surface<'_>, fonts: &Fonts, pictures: &Pictures, tree: &mut Tree, mark: &Mark) {
    let artifact = |kind| ContentTag::Artifact(Artifact::with_kind(kind));
    let tag = match mark.role {
        Role::Part(_) => match mark.shape {
            Shape::Text { .. } => ContentTag::Span(SpanTag::empty()),
            Shape::Fill { .. } | Shape::Qr { .. } | Shape::Logo { .. } | Shape::Watermark { .. } => {
                ContentTag::Other
            }
        },
        Role::Decoration => artifact(ArtifactType::Layout),
        Role::Header => artifact(ArtifactType::Header),
        Role::Footer => artifact(ArtifactType::Footer),
        Role::Watermark => artifact(ArtifactType::Watermark),
    };
    let content = surface.start_tagged(tag);
    if let Role::Part(part) = mark.role {
        tree.push_content(part, content);
    }
    draw_shape(surface, fonts, pictures, &mark.shape);
    surface.end_tagged();
}

fn draw_shape(surface: &mut Surface<'_>, fonts: &Fonts, pictures: &Pictures, shape: &Shape) {
    match shape {
        Shape::Text { x, y, style, text } => draw_text(surface, fonts, (*x, *y), *style, text),
        Shape::Fill { x, y, width, height, color } => {
            let mut path = PathBuilder::new();
            if let Some(rect) = Rect::from_xywh(*x, *y, *width, *height) {
                path.push_rect(rect);
            }
            if let Some(path) = path.finish() {
                surface.set_fill(Some(fill(*color)));
                surface.draw_path(&path);
            }
        }
        Shape::Qr { x, y, side } => {
            if let Some(path) = pictures.qr.as_ref().and_then(|qr| qr.path(*x, *y, *side)) {
                surface.set_fill(Some(fill(Color(0, 0, 0))));
                surface.draw_path(&path);
            }
        }
        Shape::Logo { x, y, width, height } => {
            if let (Some(logo), Some(size)) = (&pictures.logo, Size::from_wh(*width, *height)) {
                surface.push_transform(&Transform::from_translate(*x, *y));
                surface.draw_image(logo.clone(), size);
                surface.pop();
            }
        }
        Shape::Watermark { text } => draw_watermark(surface, fonts, text),
    }
}

fn draw_text(surface: &mut Surface<'_>, fonts: &Fonts, (x, y): (f32, f32), style: Style, text: &str) {
    surface.set_fill(Some(fill(style.color)));
    let glyphs = fonts.glyphs(style.face, text);
    surface.draw_glyphs(Point::from_xy(x, y), &glyphs, fonts.font(style.face), text, style.size, false);
}

/// From the lower left to the upper right, so that what is below can be read.
fn draw_watermark(surface: &mut Surface<'_>, fonts: &Fonts, text: &str) {
    const SIZE: f32 = 118.0;
    // Cosine and sine of 50°, as constants: those of the platform differ in the last digit.
    const COS: f32 = 0.642_787_6;
    const SIN: f32 = 0.766_044_4;
    let size = fonts.fitting_size(Face::Bold, SIZE, 10.0, text, 700.0);
    let half = fonts.width(Face::Bold, size, text) / 2.0;
    surface.push_transform(&Transform::from_row(COS, -SIN, SIN, COS, PAGE.0 / 2.0, PAGE.1 / 2.0));
    let opacity = NormalizedF32::new(0.09).unwrap_or(NormalizedF32::ONE);
    let paint = rgb::Color::new(0x80, 0x10, 0x10).into();
    surface.set_fill(Some(Fill { paint, opacity, rule: FillRule::NonZero }));
    let glyphs = fonts.glyphs(Face::Bold, text);
    let start = Point::from_xy(-half, size * 0.36);
    surface.draw_glyphs(start, &glyphs, fonts.font(Face::Bold), text, size, false);
    surface.pop();
}

fn fill(color: Color) -> Fill {
    let Color(red, green, blue) = color;
    Fill {
        paint: rgb::Color::new(red, green, blue).into(),
        opacity: NormalizedF32::ONE,
        rule: FillRule::NonZero,
    }
}
