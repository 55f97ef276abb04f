//! The address at which anybody verifies a document, as a QR code (ISO/IEC 18004).

use qrcodegen::{QrCode, QrCodeEcc, QrSegment, Version};
use std::fmt::Write as _;

/// Light modules around a code, which readers need.
const QUIET_ZONE: i32 = 4;

/// The smallest code of an address at level M exactly, the level of the order HAC/1177/2024; none of an address that is too long
/// for one.
pub fn code(address: &str) -> Option<QrCode> {
    let segments = QrSegment::make_segments(address);
    let (smallest, largest) = (Version::MIN, Version::MAX);
    QrCode::encode_segments_advanced(&segments, QrCodeEcc::Medium, smallest, largest, None, false).ok()
}

/// The code with its quiet zone as a picture.
pub fn svg(code: &QrCode) -> String {
    let (size, mut path) = (code.size(), String::new());
    for y in 0..size {
        for x in (0..size).filter(|x| code.get_module(*x, y)) {
            let (left, top) = (x.saturating_add(QUIET_ZONE), y.saturating_add(QUIET_ZONE));
            // Writing into a string does not fail.
            let _ = write!(path, "M{left} {top}h1v1h-1z");
        }
    }
    let whole = whole(size);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {whole} {whole}\" shape-rendering=\"crispEdges\" role=\"img\"><title>\
         QR code of the address to verify the document at</title><path fill=\"#fff\" d=\"M0 0h{whole}v{whole}H0z\"/><path d=\"{path}\"/></svg>"
    )
}

/// Modules of a side, quiet zone included.
const fn whole(size: i32) -> i32 {
    size.saturating_add(QUIET_ZONE.saturating_mul(2))
}

/// The side of the picture in pixels of style sheets, which are a 96th of an inch also on paper, rounded up: the code without
/// its quiet zone is as large as `millimetres` says.
pub fn picture_side(code: &QrCode, millimetres: u8) -> u32 {
    // A side has 21 to 177 modules.
    let (modules, whole) = (code.size().unsigned_abs().max(1), whole(code.size()).unsigned_abs());
    u32::from(millimetres).saturating_mul(960).saturating_mul(whole).div_ceil(modules.saturating_mul(254))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_itself_has_the_length_that_is_asked_for_and_the_quiet_zone_comes_on_top() {
        for (content, modules, millimetres, side) in [
            ("a", 21, 30, 157),
            (&"a".repeat(137), 49, 30, 132),
            (&"a".repeat(137), 49, 35, 154),
            (&"a".repeat(1_000), 121, 40, 162),
        ] {
            let code = code(content).unwrap();
            assert_eq!(code.size(), modules);
            assert!(matches!(code.error_correction_level(), QrCodeEcc::Medium));
            assert_eq!(picture_side(&code, millimetres), side, "{modules} modules of {millimetres} mm");
            let view_box = format!("viewBox=\"0 0 {0} {0}\"", modules + 8);
            assert!(svg(&code).contains(&view_box));
        }
        assert!(code(&"a".repeat(2_332)).is_none());
    }
}
