//! The end of what a guest writes to standard error: a panic or an exception says there what went wrong.
//!
//! It is the author's text, not the gateway's: it goes to whoever tries the plugin and, cut, to the operator's log, and
//! never into an answer to a client of an API.

use bytes::Bytes;
use gateway_domain::printable;
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::io::AsyncWrite;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

/// Bytes kept of what one call wrote, its last ones: an exception ends with what matters.
const TAIL_BYTES_MAX: usize = 8 << 10;
/// Bytes that are taken at once.
const WRITE_BYTES: usize = 64 << 10;
/// Characters of a line about a failure.
const HEADLINE_CHARS: usize = 500;

/// What one call wrote, as far as it is kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stderr(Arc<Mutex<LastBytes>>);

#[derive(Debug, Default)]
struct LastBytes {
    bytes: VecDeque<u8>,
    /// Whether more was written.
    cut: bool,
}

impl Stderr {
    fn keep(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (dropped, last) = bytes.split_at(bytes.len().saturating_sub(TAIL_BYTES_MAX));
        kept.bytes.extend(last);
        let over = kept.bytes.len().saturating_sub(TAIL_BYTES_MAX);
        kept.bytes.drain(..over);
        kept.cut |= over > 0 || !dropped.is_empty();
    }

    /// The text without blanks around it and with control characters escaped, but for line breaks; none when nothing was
    /// written. Where it was cut, it begins with the first whole line.
    pub(crate) fn text(&self) -> Option<String> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cut = kept.cut;
        let text = String::from_utf8_lossy(kept.bytes.make_contiguous()).into_owned();
        drop(kept);
        let whole = match text.split_once('\n') {
            Some((_, rest)) if cut && !rest.trim().is_empty() => rest,
            _ => &text,
        };
        let whole = whole.trim();
        (!whole.is_empty()).then(|| printable(whole, &['\n', '\t']).into_owned())
    }

    /// What went wrong, in one line that follows "the plugin": `panicked at src/lib.rs:12:5: no rate`.
    pub(crate) fn headline(&self) -> Option<String> {
        self.text().map(|text| headline(&text))
    }
}

/// What the last words of a guest say, in one line: Rust's panic, the exception of a Python or a JavaScript traceback, or
/// the last line there is.
fn headline(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()).collect();
    // The runtimes of Python and JavaScript panic after an exception, which says more.
    let said = exception(&lines)
        .or_else(|| javascript_exception(text))
        .or_else(|| panic(&lines))
        .unwrap_or_else(|| {
            let last = lines.last().copied().unwrap_or_default();
            format!("ended after it wrote '{}'", last.trim())
        });
    truncated_to(&said, HEADLINE_CHARS)
}

/// `thread 'main' (1) panicked at src/lib.rs:12:5:` with the text on the lines that follow.
fn panic(lines: &[&str]) -> Option<String> {
    let at = lines.iter().rposition(|line| line.contains("panicked at "))?;
    let (place, text) = lines.get(at..)?.split_first()?;
    let (_, place) = place.split_once("panicked at ")?;
    let text: Vec<&str> = text.iter().copied().take_while(|line| !line.starts_with("note: ")).collect();
    Some(format!("panicked at {}: {}", place.trim_end_matches(':'), text.join(" ")))
}

/// `Traceback (most recent call last):`, places, and the exception.
fn exception(lines: &[&str]) -> Option<String> {
    let at = lines.iter().rposition(|line| line.starts_with("Traceback (most recent call last)"))?;
    let rest = lines.get(at.saturating_add(1)..)?;
    let what = rest.iter().find(|line| !line.starts_with(' '))?;
    let place = rest.iter().rev().find_map(|line| line.trim_start().strip_prefix("File "));
    Some(match place {
        Some(place) => format!("raised {what} (at {place})"),
        None => format!("raised {what}"),
    })
}

/// `Exception { message: Some("no rate"), stack: Some("    at convert (/plugin.js:59:28)\n") }`, as QuickJS's runtime has it.
fn javascript_exception(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("Exception { message: Some(\"")?;
    let (what, rest) = rest.split_once("\"), stack: ")?;
    let place = rest.split_once(" at ").and_then(|(_, place)| place.split("\\n").next());
    Some(match place {
        Some(place) => format!("threw '{what}' (at {place})"),
        None => format!("threw '{what}'"),
    })
}

/// At most so many characters.
fn truncated_to(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

impl IsTerminal for Stderr {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Stderr {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[async_trait]
impl Pollable for Stderr {
    async fn ready(&mut self) {}
}

impl OutputStream for Stderr {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.keep(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_BYTES)
    }
}

impl AsyncWrite for Stderr {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.keep(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exception_goes_before_the_panic_of_its_runtime() {
        let python = "Traceback (most recent call last):\n  File \"/0/app.py\", line 87, in convert\nValueError: no rate\n\n\
                      thread '<unnamed>' (1) panicked at runtime/src/lib.rs:1293:29:\nPython function threw";
        assert_eq!(headline(python), "raised ValueError: no rate (at \"/0/app.py\", line 87, in convert)");
        let javascript = "thread '<unnamed>' (1) panicked at crates/runtime/src/interpreter.rs:51:31:\n\
                          Failed to call 'convert': Value(Exception(\nException { message: Some(\"no rate\"), stack: \
                          Some(\"    at convert (/plugin.js:59:28)\\n\") })\n)";
        assert_eq!(headline(javascript), "threw 'no rate' (at convert (/plugin.js:59:28))");
    }
}
