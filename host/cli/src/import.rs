//! `gateway import FILE`: platform data from a file, with a progress bar on a terminal.

use crate::args::ImportArgs;
use crate::{CommandContext, Program};
use gateway_config::Config;
use gateway_domain_input::unreadable;
use gateway_platform::import::{Imported, KindCounts, Progress};
use gateway_platform::sample;
use gateway_terminal::{self as terminal, Column, Failure, Out, Text, note};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write as _};
use std::path::Path;

/// Bytes read from the file at once.
const BUFFER_BYTES: usize = 256 * 1024;

/// Carries it out.
pub async fn run(args: ImportArgs, config: &Config, program: &Program, out: Out) -> Result<(), Failure> {
    if args.sample {
        return write_sample(&args.file, out);
    }
    let (file, bytes): (Box<dyn BufRead>, Option<u64>) = if args.file.as_os_str() == "-" {
        (Box::new(BufReader::with_capacity(BUFFER_BYTES, std::io::stdin())), None)
    } else {
        let file = File::open(&args.file).map_err(|error| {
            Failure::refused(format!(
                "{} cannot be read ({}): name a file",
                args.file.display(),
                unreadable(&error)
            ))
        })?;
        let bytes = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|about| about.len());
        (Box::new(BufReader::with_capacity(BUFFER_BYTES, file)), bytes)
    };
    let context = program.open(config).await?;
    let bar = bar(bytes);
    let done = import(&context, config, file, &bar).await;
    bar.finish_and_clear();
    context.close().await;
    let imported = done?;
    for (kind, member) in &imported.unknown_members {
        note(&format!("note: no {kind} has a member '{member}': it was passed over"));
    }
    out.data(&ImportedView::from(&imported), || table(&imported));
    match imported.refused() {
        0 => Ok(()),
        1 => Err(Failure::refused(
            "a line was passed over, everything else is stored: mend it and import the file again",
        )),
        lines => Err(Failure::refused(format!(
            "{lines} lines were passed over, everything else is stored: mend them and import the file again"
        ))),
    }
}

/// Stores the lines of the file, and tells of those that are passed over or odd.
async fn import(
    context: &CommandContext,
    config: &Config,
    file: Box<dyn BufRead>,
    bar: &ProgressBar,
) -> Result<Imported, Failure> {
    if any_configured(context).await? {
        // The plugins are asked what they think of the suppliers.
        gateway_registry::load(&context.plugins, config.plugins_dir()).await?;
    }
    let done = context.platform.importer.import(&context.operator, file, |progress| match progress {
        Progress::Done { bytes } => bar.set_position(bytes),
        Progress::Refused { line, message } => bar.suspend(|| note(&format!("line {line}: {message}"))),
        Progress::Remarked { line, message } => {
            bar.suspend(|| note(&format!("note: line {line} is stored all the same: {message}")));
        }
    });
    Ok(done.await?)
}

/// Whether a workspace sends its invoices to a tax authority.
async fn any_configured(context: &CommandContext) -> Result<bool, Failure> {
    Ok(!context.workspaces.regimes().await?.is_empty())
}

/// Shown on standard error when that is a terminal, else nothing.
fn bar(bytes: Option<u64>) -> ProgressBar {
    const STYLE: &str = "{bar:40} {bytes} of {total_bytes}, {eta} left";
    match bytes {
        Some(bytes) => {
            let style = ProgressStyle::with_template(STYLE).unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(bytes).with_style(style)
        }
        None => ProgressBar::new_spinner(),
    }
}

/// What became of the lines of a file.
#[derive(Serialize)]
struct ImportedView<'a> {
    kinds: &'a BTreeMap<&'static str, KindCounts>,
    unreadable: u64,
    written: u64,
    refused: u64,
    remarked: u64,
}

impl<'a> From<&'a Imported> for ImportedView<'a> {
    fn from(imported: &'a Imported) -> Self {
        Self {
            kinds: &imported.kinds,
            unreadable: imported.unreadable,
            written: imported.written(),
            refused: imported.refused(),
            remarked: imported.remarked,
        }
    }
}

fn table(imported: &Imported) -> Text {
    let columns = ["KIND", "CREATED", "CHANGED", "UNCHANGED", "PASSED OVER"].map(Column::value);
    let rows = imported.kinds.iter().map(|(kind, counts)| {
        let numbers = [counts.created, counts.changed, counts.unchanged, counts.refused];
        std::iter::once((*kind).to_owned()).chain(numbers.map(|number| number.to_string())).collect()
    });
    let unreadable = (imported.unreadable > 0).then(|| {
        let dash = || "-".to_owned();
        vec!["unreadable".to_owned(), dash(), dash(), dash(), imported.unreadable.to_string()]
    });
    terminal::listing(columns, rows.chain(unreadable))
}

/// A file with the demonstration's data.
#[derive(Serialize)]
struct SampleFile<'a> {
    file: &'a Path,
    lines: u64,
}

/// The demonstration's data as a file.
fn write_sample(path: &Path, out: Out) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        for line in sample::lines() {
            terminal::line(&line?);
        }
        return Ok(());
    }
    let unwritable = |error: std::io::Error| {
        Failure::refused(format!(
            "{} cannot be written ({}): name another file",
            path.display(),
            unreadable(&error)
        ))
    };
    let mut file = BufWriter::new(File::create(path).map_err(unwritable)?);
    let mut lines: u64 = 0;
    for line in sample::lines() {
        writeln!(file, "{}", line?).map_err(unwritable)?;
        lines += 1;
    }
    file.flush().map_err(unwritable)?;
    out.data(&SampleFile { file: path, lines }, || format!("{lines} lines in {}", path.display()));
    Ok(())
}
