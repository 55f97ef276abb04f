//! The two fonts, and how wide a text is in them.
//!
//! A glyph for each character, side by side: the scripts that the fonts cover need no shaping.

use crate::bindings::Fault;
use crate::faults;
use krilla::text::{Font, GlyphId, KrillaGlyph};
use skrifa::charmap::Charmap;
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::{FontRef, MetadataProvider as _};
use unicode_normalization::UnicodeNormalization as _;

static REGULAR: &[u8] = include_bytes!("../fonts/NotoSans-Regular.ttf");
static BOLD: &[u8] = include_bytes!("../fonts/NotoSans-Bold.ttf");

/// What stands for a character that the fonts lack. They have this one.
const REPLACEMENT: char = '\u{fffd}';

/// One of the fonts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Face {
    Regular,
    Bold,
}

struct LoadedFont {
    font: Font,
    characters: Charmap<'static>,
    metrics: GlyphMetrics<'static>,
    units_per_em: f32,
}

impl LoadedFont {
    fn load(data: &'static [u8]) -> Option<Self> {
        let font = Font::new(data.into(), 0)?;
        let tables = FontRef::new(data).ok()?;
        let metrics = tables.glyph_metrics(Size::unscaled(), LocationRef::default());
        Some(Self { units_per_em: font.units_per_em(), font, characters: tables.charmap(), metrics })
    }

    /// The glyph of a character, and its advance in parts of the font size.
    fn glyph(&self, character: char) -> (skrifa::GlyphId, f32) {
        let glyph =
            self.characters.map(character).or_else(|| self.characters.map(REPLACEMENT)).unwrap_or_default();
        (glyph, self.metrics.advance_width(glyph).unwrap_or_default() / self.units_per_em)
    }
}

/// Both fonts.
pub(crate) struct Fonts {
    regular: LoadedFont,
    bold: LoadedFont,
}

impl Fonts {
    /// Reads both.
    pub(crate) fn load() -> Result<Self, Vec<Fault>> {
        let broken =
            || vec![faults::fault(faults::FILE, "", "The renderer's fonts cannot be read; report it.")];
        Ok(Self {
            regular: LoadedFont::load(REGULAR).ok_or_else(broken)?,
            bold: LoadedFont::load(BOLD).ok_or_else(broken)?,
        })
    }

    const fn of(&self, face: Face) -> &LoadedFont {
        match face {
            Face::Regular => &self.regular,
            Face::Bold => &self.bold,
        }
    }

    pub(crate) fn font(&self, face: Face) -> Font {
        self.of(face).font.clone()
    }

    /// The text with nothing in it but what the fonts have: composed characters, spaces for control characters, U+FFFD for
    /// what is lacking.
    pub(crate) fn clean(&self, text: &str) -> String {
        text.nfc()
            .filter(|character| *character != '\u{ad}')
            .map(|character| match character {
                _ if character.is_control() => ' ',
                // The sign for minus, which the fonts lack.
                '\u{2212}' => '-',
                _ if self.regular.characters.map(character).is_none() => REPLACEMENT,
                _ => character,
            })
            .collect()
    }

    /// The width of a text in points.
    pub(crate) fn width(&self, face: Face, size: f32, text: &str) -> f32 {
        let font = self.of(face);
        text.chars().map(|character| font.glyph(character).1).sum::<f32>() * size
    }

    /// The largest size up to `size`, at least `size_min`, at which the text is at most `width` points wide.
    pub(crate) fn fitting_size(&self, face: Face, size: f32, size_min: f32, text: &str, width: f32) -> f32 {
        let natural = self.width(face, size, text);
        if natural <= width { size } else { (size * width / natural).max(size_min) }
    }

    /// The glyphs of a text that is [`clean`](Self::clean).
    pub(crate) fn glyphs(&self, face: Face, text: &str) -> Vec<KrillaGlyph> {
        let font = self.of(face);
        text.char_indices()
            .map(|(at, character)| {
                let (glyph, advance) = font.glyph(character);
                KrillaGlyph {
                    glyph_id: GlyphId::new(glyph.to_u32()),
                    text_range: at..at + character.len_utf8(),
                    x_advance: advance,
                    x_offset: 0.0,
                    y_offset: 0.0,
                    y_advance: 0.0,
                    location: None,
                }
            })
            .collect()
    }

    /// [`wrap`](Self::wrap) of a text in which a line feed counts as a space.
    pub(crate) fn wrap_words(&self, face: Face, size: f32, text: &str, width: f32) -> Vec<String> {
        self.wrap(face, size, &text.replace('\n', " "), width)
    }

    /// The lines of a text that are at most `width` points wide. They break at spaces, which they keep, and inside of a word
    /// that alone is too wide. There is at least one.
    pub(crate) fn wrap(&self, face: Face, size: f32, text: &str, width: f32) -> Vec<String> {
        let mut lines = Vec::new();
        for paragraph in text.split('\n') {
            let mut line = Line::default();
            for word in self.clean(paragraph).split_inclusive(' ') {
                self.push_word(face, size, word, width, &mut line, &mut lines);
            }
            lines.push(line.text);
        }
        lines
    }

    fn push_word(
        &self,
        face: Face,
        size: f32,
        word: &str,
        width: f32,
        line: &mut Line,
        lines: &mut Vec<String>,
    ) {
        let visible = self.width(face, size, word.trim_end());
        if line.width + visible > width && !line.text.is_empty() {
            lines.push(std::mem::take(line).text);
        }
        if visible <= width {
            line.width += self.width(face, size, word);
            line.text.push_str(word);
            return;
        }
        let font = self.of(face);
        for character in word.chars() {
            let advance = font.glyph(character).1 * size;
            if line.width + advance > width && !line.text.is_empty() && character != ' ' {
                lines.push(std::mem::take(line).text);
            }
            line.width += advance;
            line.text.push(character);
        }
    }
}

#[derive(Default)]
struct Line {
    text: String,
    width: f32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_fonts_have_what_documents_need() {
        let fonts = Fonts::load().unwrap_or_else(|_| panic!());
        for character in "áéíóúüñÑ¿¡çÇàèòïºª€£¥złąćęłńóśźżĄĆĘŁŃÓŚŹŻäöüßÄÖÜåøæčďěňřšťůžőűğışαβγДжЯіїє%‰№…–—«»“”’·•×\u{a0}\u{fffd}".chars() {
            for face in [Face::Regular, Face::Bold] {
                assert!(fonts.of(face).characters.map(character).is_some(), "{character}");
            }
        }
    }

    #[test]
    fn a_text_is_cleaned_of_what_the_fonts_lack() {
        let fonts = Fonts::load().unwrap_or_else(|_| panic!());
        assert_eq!(fonts.clean("e\u{301}\t\u{0}日\u{2212}1 \u{1f600}"), "é  \u{fffd}-1 \u{fffd}");
    }

    #[test]
    fn lines_break_at_spaces_and_inside_of_words_that_are_too_wide() {
        let fonts = Fonts::load().unwrap_or_else(|_| panic!());
        let lines =
            fonts.wrap(Face::Regular, 10.0, &format!("one two {} three\n\nfour", "x".repeat(100)), 60.0);
        assert_eq!(lines.concat().replace(' ', ""), format!("onetwo{}threefour", "x".repeat(100)));
        assert!(lines.len() > 8);
        for line in &lines {
            assert!(fonts.width(Face::Regular, 10.0, line.trim_end()) <= 60.0, "{line}");
        }
        assert_eq!(fonts.wrap(Face::Regular, 10.0, "", 60.0), [""]);
    }
}
