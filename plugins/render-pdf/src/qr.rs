//! QR codes by ISO/IEC 18004, error correction level M, as what is filled black.

use crate::bindings::Fault;
use crate::faults::{self, fault};
use krilla::geom::{Path, PathBuilder, Rect};
use qrcodegen::{QrCode, QrCodeEcc, QrSegment, Version};

/// The white margin that a reader needs, in modules.
pub(crate) const MARGIN_MODULES: u8 = 4;

/// A QR code.
pub(crate) struct Qr(QrCode);

impl Qr {
    /// The smallest code that says so, at level M exactly: what asks for a level asks for no more.
    pub(crate) fn new(content: &str) -> Result<Self, Vec<Fault>> {
        let segments = QrSegment::make_segments(content);
        let code = QrCode::encode_segments_advanced(
            &segments,
            QrCodeEcc::Medium,
            Version::MIN,
            Version::MAX,
            None,
            false,
        );
        code.map(Self).map_err(|_| {
            let message = "The content of the QR code is too long for one; shorten it.";
            vec![fault(faults::QR_CONTENT, "/stamp/qr/content", message)]
        })
    }

    /// Modules of a side.
    pub(crate) fn modules(&self) -> f32 {
        // Never more than 177.
        i16::try_from(self.0.size()).map_or(177.0, f32::from)
    }

    /// The dark modules, each run of a row one rectangle, in a square of this side.
    pub(crate) fn path(&self, x: f32, y: f32, side: f32) -> Option<Path> {
        let module = side / self.modules();
        let to_points = |count: i32| i16::try_from(count).map_or(0.0, f32::from) * module;
        let mut path = PathBuilder::new();
        for row in 0..self.0.size() {
            let mut column = 0;
            while column < self.0.size() {
                let begin = column;
                while column < self.0.size() && self.0.get_module(column, row) {
                    column += 1;
                }
                if column == begin {
                    column += 1;
                    continue;
                }
                let width = to_points(column - begin);
                if let Some(run) = Rect::from_xywh(x + to_points(begin), y + to_points(row), width, module) {
                    path.push_rect(run);
                }
            }
        }
        path.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_at_level_m_and_as_large_as_its_content_asks_for() {
        for (content, modules) in
            [("a", 21.0), (&"a".repeat(137), 49.0), (&"a".repeat(1_000), 121.0), (&"a".repeat(2_331), 177.0)]
        {
            let Ok(qr) = Qr::new(content) else { panic!("{content}") };
            assert!(matches!(qr.0.error_correction_level(), QrCodeEcc::Medium));
            assert!((qr.modules() - modules).abs() < 0.5, "{}", qr.modules());
            assert!(qr.path(10.0, 20.0, 90.0).is_some());
        }
        assert!(Qr::new(&"a".repeat(2_332)).is_err());
    }
}
