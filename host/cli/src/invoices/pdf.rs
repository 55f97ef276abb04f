//! `gateway invoice pdf`.

use super::no_document;
use crate::CommandContext;
use crate::args::PdfArgs;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain_input::unreadable;
use gateway_rendering::RenderingError;
use gateway_terminal::{Failure, Out};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file that was written.
#[derive(Serialize)]
struct WrittenFile {
    file: PathBuf,
    media_type: String,
    bytes: usize,
}

/// Writes a file where it is wanted: under its own name unless another is given, or to standard output, which then holds nothing else.
pub(super) async fn write_file(
    (content, media_type): (&[u8], String),
    (output, own_name): (Option<PathBuf>, &str),
    out: Out,
) -> Result<(), Failure> {
    if output.as_deref() == Some(Path::new("-")) {
        let mut stdout = std::io::stdout().lock();
        return stdout
            .write_all(content)
            .and_then(|()| stdout.flush())
            .map_err(|error| not_written("-", &error));
    }
    let file = output.unwrap_or_else(|| PathBuf::from(own_name));
    let written = tokio::fs::write(&file, content).await;
    written.map_err(|error| not_written(&file.display().to_string(), &error))?;
    let written = WrittenFile { file, media_type, bytes: content.len() };
    out.data(&written, || {
        format!("wrote {} ({} KiB)\n", written.file.display(), written.bytes.div_ceil(1024))
    });
    Ok(())
}

pub(super) async fn write(
    context: &CommandContext,
    operator: &Acting,
    (uuid, PdfArgs { locale, output, .. }): (InvoiceId, PdfArgs),
    out: Out,
) -> Result<(), Failure> {
    let document =
        context.rendering.render(operator, uuid, locale.as_deref()).await.map_err(|error| match error {
            RenderingError::Gone => no_document(uuid),
            RenderingError::Refused(ref faults) => {
                let sentences: Vec<_> =
                    faults.iter().map(|fault| format!("{} ({})", fault.message, fault.code)).collect();
                Failure::refused(format!("{error}: {}", sentences.join("; ")))
            }
            other => Failure::refused(other.to_string()),
        })?;
    write_file((&document.content, document.media_type), (output, &document.file_name), out).await
}

fn not_written(file: &str, error: &std::io::Error) -> Failure {
    Failure::refused(format!(
        "{file} cannot be written ({}): name another file with --output",
        unreadable(error)
    ))
}
