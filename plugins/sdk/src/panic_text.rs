//! What a panic says, for [`export!`](crate::export) `with panic_text`, which knows where to write it.

use std::panic;

/// Bytes of one write to a stream of WASI.
const WRITE_BYTES_MAX: usize = 4096;

/// From now on a panic hands its text, cut to one write, to `write` before the call ends.
pub fn install(write: impl Fn(&[u8]) + Send + Sync + 'static) {
    panic::set_hook(Box::new(move |info| {
        let text = format!("{info}\n");
        write(text.as_bytes().get(..WRITE_BYTES_MAX).unwrap_or(text.as_bytes()));
    }));
}
