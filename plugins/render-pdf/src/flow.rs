//! Pages as lists of what is drawn on them, filled from the top to the bottom.
//!
//! Everything is laid out before anything is drawn: only then is it known how many pages there are. Lengths are points
//! (1/72 inch) from the upper left corner; `y` of a text is its baseline.

use crate::fonts::{Face, Fonts};
use crate::structure::{Kind, NodeId, Tree};

/// A colour of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Color(pub(crate) u8, pub(crate) u8, pub(crate) u8);

/// What is read.
pub(crate) const INK: Color = Color(0x1f, 0x24, 0x2b);
/// What is read second. Its contrast on white is above 4.5 to 1, as WCAG asks for.
pub(crate) const SOFT: Color = Color(0x5b, 0x64, 0x70);
/// Rules between rows.
pub(crate) const FAINT: Color = Color(0xd9, 0xde, 0xe4);

/// A4.
pub(crate) const PAGE: (f32, f32) = (595.28, 841.89);
/// Where the content begins and ends.
pub(crate) const LEFT: f32 = 51.0;
pub(crate) const RIGHT: f32 = 544.28;
pub(crate) const WIDTH: f32 = RIGHT - LEFT;
const TOP: f32 = 45.0;
/// Where the content of every page but the first begins, below the line that repeats whose document it is.
const TOP_REPEATED: f32 = 72.0;
/// From a line of small text to the next.
pub(crate) const FOOTER_LEADING: f32 = 9.5;
/// Where the line with the number of the page stands.
pub(crate) const FOOTER: f32 = 812.0;

/// What a mark is to somebody who does not look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It belongs to a part of the document.
    Part(NodeId),
    /// Rules and backgrounds.
    Decoration,
    /// What is repeated at the top of pages.
    Header,
    Footer,
    Watermark,
}

/// How a text looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Style {
    pub(crate) face: Face,
    pub(crate) size: f32,
    pub(crate) color: Color,
}

impl Style {
    pub(crate) const fn regular(size: f32, color: Color) -> Self {
        Self { face: Face::Regular, size, color }
    }

    pub(crate) const fn bold(size: f32, color: Color) -> Self {
        Self { face: Face::Bold, size, color }
    }

    /// From a line to the next.
    pub(crate) fn leading(self) -> f32 {
        self.size * 1.36
    }
}

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Text {
        x: f32,
        y: f32,
        style: Style,
        text: String,
    },
    Fill {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        color: Color,
    },
    /// The QR code of the document.
    Qr {
        x: f32,
        y: f32,
        side: f32,
    },
    /// The logo of the document.
    Logo {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
    },
    /// A word across the page.
    Watermark {
        text: String,
    },
}

/// Something that is drawn, and what it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mark {
    pub(crate) shape: Shape,
    pub(crate) role: Role,
}

/// The pages of a document as they fill.
pub(crate) struct Flow<'a> {
    pub(crate) fonts: &'a Fonts,
    pub(crate) tree: Tree,
    pub(crate) accent: Color,
    /// How far the last page is filled.
    pub(crate) y: f32,
    /// Never empty.
    pages: Vec<Vec<Mark>>,
    /// What stands at the top of every page but the first.
    repeated: String,
    bottom: f32,
}

impl<'a> Flow<'a> {
    /// Leaves room for `footer_lines` lines of small text at the bottom, above the number of the page.
    pub(crate) fn new(fonts: &'a Fonts, accent: Color, repeated: &str, footer_lines: u16) -> Self {
        Self {
            fonts,
            tree: Tree::default(),
            accent,
            y: TOP,
            pages: vec![Vec::new()],
            repeated: fonts.clean(repeated),
            bottom: FOOTER - 24.0 - f32::from(footer_lines) * FOOTER_LEADING,
        }
    }

    pub(crate) const fn page_count(&self) -> usize {
        self.pages.len()
    }

    /// From 0.
    pub(crate) const fn page_index(&self) -> usize {
        self.pages.len().saturating_sub(1)
    }

    /// What is left of the last page.
    pub(crate) fn room(&self) -> f32 {
        self.bottom - self.y
    }

    /// Begins another page when the last one has no room for so much.
    pub(crate) fn ensure_room(&mut self, height: f32) {
        if self.room() < height && self.y > TOP_REPEATED + 1.0 {
            self.break_page();
        }
    }

    /// Begins another page.
    pub(crate) fn break_page(&mut self) {
        self.pages.push(Vec::new());
        let style = Style::regular(7.5, SOFT);
        let repeated = self.fonts.wrap(style.face, style.size, &self.repeated, WIDTH).into_iter().next();
        self.text(LEFT, 50.0, style, &repeated.unwrap_or_default(), Role::Header);
        self.fill(LEFT, 56.0, WIDTH, 0.5, FAINT, Role::Header);
        self.y = TOP_REPEATED;
    }

    /// Draws on the last page.
    pub(crate) fn draw(&mut self, shape: Shape, role: Role) {
        if let Some(page) = self.pages.last_mut() {
            page.push(Mark { shape, role });
        }
    }

    /// Draws on every page.
    pub(crate) fn draw_everywhere(&mut self, mark: &Mark) {
        for page in &mut self.pages {
            page.push(mark.clone());
        }
    }

    /// Draws on one page, counted from 0.
    pub(crate) fn draw_on(&mut self, page: usize, mark: Mark) {
        if let Some(page) = self.pages.get_mut(page) {
            page.push(mark);
        }
    }

    /// A text from `x` on.
    pub(crate) fn text(&mut self, x: f32, y: f32, style: Style, text: &str, role: Role) {
        let text = self.fonts.clean(text);
        if !text.is_empty() {
            self.draw(Shape::Text { x, y, style, text }, role);
        }
    }

    /// A text that ends at `right`, but for the space that leads to the next line.
    pub(crate) fn text_right(&mut self, right: f32, y: f32, style: Style, text: &str, role: Role) {
        let x = right - self.fonts.width(style.face, style.size, text.trim_end());
        self.text(x, y, style, text, role);
    }

    /// A text with `center` in its middle, but for the space that leads to the next line.
    pub(crate) fn text_centered(&mut self, center: f32, y: f32, style: Style, text: &str, role: Role) {
        let x = center - self.fonts.width(style.face, style.size, text.trim_end()) / 2.0;
        self.text(x, y, style, text, role);
    }

    pub(crate) fn fill(&mut self, x: f32, y: f32, width: f32, height: f32, color: Color, role: Role) {
        self.draw(Shape::Fill { x, y, width, height, color }, role);
    }

    /// A paragraph of its own from `x` on, in lines of at most `width`, over as many pages as it takes. Moves `y` below it.
    pub(crate) fn paragraph(&mut self, x: f32, width: f32, style: Style, text: &str, parent: Option<NodeId>) {
        if text.is_empty() {
            return;
        }
        let node = self.tree.add(parent, Kind::Paragraph);
        for line in self.fonts.wrap(style.face, style.size, text, width) {
            self.ensure_room(style.leading());
            self.y += style.leading();
            self.text(x, self.y - style.size * 0.32, style, &line, Role::Part(node));
        }
    }

    /// What was laid out.
    pub(crate) fn finish(self) -> (Vec<Vec<Mark>>, Tree) {
        (self.pages, self.tree)
    }
}
