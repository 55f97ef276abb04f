//! Whether a logo is one that a document can show.

use png::{Decoder, DecodingError, Limits, Transformations};
use std::io::Cursor;

/// Bytes of the file: it is in every document.
pub(crate) const BYTES_MAX: usize = 256 << 10;
/// What renderers take (`wit/render-v1`). Looked at before anything is unpacked.
const PIXELS_MAX: u64 = 2_000_000;
/// What unpacking may take besides the pixels, bytes.
const DECODER_BYTES_MAX: usize = 32 << 20;

/// Why a file is no logo, and what to do.
pub(crate) fn mistake(file: &[u8]) -> Option<String> {
    if file.len() > BYTES_MAX {
        let kib = BYTES_MAX >> 10;
        return Some(format!("the logo has more than {kib} KiB: scale it down"));
    }
    match pixels(file) {
        Ok(count) if count > PIXELS_MAX => {
            Some(format!("the logo has {count} pixels, where {PIXELS_MAX} are allowed: scale it down"))
        }
        Ok(_) => None,
        Err(_) => Some("the logo is no PNG that can be read: export it anew as PNG".to_owned()),
    }
}

/// Of a file with more than [`PIXELS_MAX`] only the head is read; others are unpacked as a whole, as a renderer does.
fn pixels(file: &[u8]) -> Result<u64, DecodingError> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(file), Limits { bytes: DECODER_BYTES_MAX });
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    let count = u64::from(reader.info().width) * u64::from(reader.info().height);
    if count <= PIXELS_MAX {
        let size = reader.output_buffer_size().ok_or(DecodingError::LimitsExceeded)?;
        reader.next_frame(&mut vec![0; size])?;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use png::{BitDepth, ColorType, Encoder};

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, width, height);
        encoder.set_color(ColorType::Grayscale);
        encoder.set_depth(BitDepth::One);
        let row = usize::try_from(width).unwrap().div_ceil(8);
        let pixels = vec![0; row * usize::try_from(height).unwrap()];
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&pixels).unwrap();
        writer.finish().unwrap();
        file
    }

    #[test]
    fn a_png_of_a_usual_size_is_a_logo() {
        assert_eq!(mistake(&png(240, 80)), None);
        assert_eq!(mistake(&png(2_000, 1_000)), None);
    }

    #[test]
    fn what_is_no_png_is_refused() {
        let whole = png(240, 80);
        for file in [&b""[..], b"<svg/>", b"\x89PNG\r\n\x1a\n", whole.get(..whole.len() / 2).unwrap()] {
            assert!(mistake(file).unwrap().contains("no PNG"), "{file:?}");
        }
    }

    #[test]
    fn what_unpacks_to_too_many_pixels_is_refused_before_it_is_unpacked() {
        let bomb = png(20_000, 20_000);
        assert!(bomb.len() < BYTES_MAX, "{} bytes", bomb.len());
        assert!(mistake(&bomb).unwrap().contains("400000000 pixels"));
        let mut huge = png(8, 8);
        huge.splice(16..24, [0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
        assert!(mistake(&huge).is_some(), "whatever its checksum says");
    }

    #[test]
    fn a_file_of_too_many_bytes_is_refused() {
        assert!(mistake(&vec![0; BYTES_MAX + 1]).unwrap().contains("256 KiB"));
    }
}
