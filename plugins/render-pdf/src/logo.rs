//! The supplier's logo.

use crate::bindings::Fault;
use crate::faults::{self, fault};
use krilla::image::Image;
use png::{BitDepth, ColorType, Decoder, Limits, Transformations};
use std::io::Cursor;

/// Bytes of the PNG.
const BYTES_MAX: usize = 1 << 20;
const PIXELS_MAX: u64 = 2_000_000;

/// Decodes the logo.
pub(crate) fn decode(bytes: &[u8]) -> Result<Image, Vec<Fault>> {
    let too_large = || {
        vec![fault(
            faults::LOGO_SIZE,
            "/logo",
            "The logo has more than 1 MiB or 2,000,000 pixels; scale it down.",
        )]
    };
    let unreadable =
        || vec![fault(faults::LOGO, "/logo", "The logo is no PNG that can be read; export it anew.")];
    if bytes.len() > BYTES_MAX {
        return Err(too_large());
    }
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: 32 << 20 });
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|_| unreadable())?;
    let (width, height) = (reader.info().width, reader.info().height);
    let pixel_count = u64::from(width) * u64::from(height);
    if pixel_count > PIXELS_MAX {
        return Err(too_large());
    }
    let mut pixels = vec![0; reader.output_buffer_size().ok_or_else(too_large)?];
    let frame = reader.next_frame(&mut pixels).map_err(|_| unreadable())?;
    pixels.truncate(frame.buffer_size());
    let rgba = to_rgba(&pixels, frame.color_type).filter(|_| frame.bit_depth == BitDepth::Eight);
    let rgba = rgba.filter(|rgba| u64::try_from(rgba.len()).is_ok_and(|bytes| bytes == pixel_count * 4));
    Ok(Image::from_rgba8(rgba.ok_or_else(unreadable)?, width, height))
}

/// Eight bits for each channel, whatever the PNG has. Its own colour profile is left out: the page is sRGB.
fn to_rgba(pixels: &[u8], color_type: ColorType) -> Option<Vec<u8>> {
    let expand = |channels: usize, pixel: fn(&[u8]) -> Option<[u8; 4]>| {
        let expanded: Option<Vec<[u8; 4]>> = pixels.chunks_exact(channels).map(pixel).collect();
        expanded.map(|expanded| expanded.concat())
    };
    match color_type {
        ColorType::Rgba => Some(pixels.to_vec()),
        ColorType::Rgb => expand(3, |pixel| {
            <[u8; 3]>::try_from(pixel).ok().map(|[red, green, blue]| [red, green, blue, u8::MAX])
        }),
        ColorType::Grayscale => {
            expand(1, |pixel| <[u8; 1]>::try_from(pixel).ok().map(|[gray]| [gray, gray, gray, u8::MAX]))
        }
        ColorType::GrayscaleAlpha => {
            expand(2, |pixel| <[u8; 2]>::try_from(pixel).ok().map(|[gray, alpha]| [gray, gray, gray, alpha]))
        }
        ColorType::Indexed => None,
    }
}
