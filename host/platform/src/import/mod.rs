//! Platform data from a file: one JSON object a line, stored under its kind and id.
//!
//! A line that is stored already costs one look-up and changes nothing, so an import that was interrupted is simply
//! repeated. Lines are stored in batches, each in a transaction of its own. A line may refer to what is stored, and to
//! what stands before it in the file (within a batch also to what follows). One that cannot be read, breaks a rule or refers to something else is told with its
//! number and passed over.
//!
//! Documents that another system issued are no platform data: the invoice data service takes them, one by one.
//!
//! To add a kind: a domain type with `check`, a table with `put` and a look-up by ids, an implementation of
//! [`kind::Kind`], and a row in `record::Record`.

mod batch;
mod batch_events;
mod booking;
mod constraints;
mod dependents;
mod issued_document;
mod kind;
mod kinds;
mod lines;
mod outcome;
mod record;
mod suppliers;
mod workspace;

pub use lines::LINE_BYTES_MAX;

use crate::context::Context;
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_invoicing::Documents;
use gateway_workspaces::Workspaces;
use lines::Lines;
use outcome::{LineOutcome, Outcome};
use record::{Parsed, Record};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};

/// Lines that are stored together.
const BATCH: usize = 500;
/// Bytes of lines after which no more are read before they are stored: lines that carry files are long.
const BATCH_BYTES: usize = 8 << 20;

/// What became of the lines of a kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct KindCounts {
    /// Not there before.
    pub created: u64,
    /// There with another content.
    pub changed: u64,
    /// There already as the line says.
    pub unchanged: u64,
    /// Told and passed over.
    pub refused: u64,
}

/// What an import did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// By kind, in the order of the kinds.
    pub kinds: BTreeMap<&'static str, KindCounts>,
    /// Lines that belong to no kind: no JSON object, no kind, or an unknown one.
    pub unreadable: u64,
    /// Lines that are stored although something about them is odd.
    pub remarked: u64,
    /// Members that no line of their kind has (kind, member); they were passed over.
    pub unknown_members: BTreeSet<(&'static str, String)>,
}

/// What the audit trail tells of an import.
#[derive(Serialize)]
struct ImportData<'a> {
    kinds: &'a BTreeMap<&'static str, KindCounts>,
}

impl Imported {
    /// Lines that were passed over.
    pub fn refused(&self) -> u64 {
        self.kinds.values().map(|counts| counts.refused).sum::<u64>().saturating_add(self.unreadable)
    }

    /// Lines that changed something.
    pub fn written(&self) -> u64 {
        self.kinds.values().map(|counts| counts.created.saturating_add(counts.changed)).sum()
    }
}

/// What is told while an import goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// So many bytes of the file are done.
    Done {
        /// Bytes, from its beginning.
        bytes: u64,
    },
    /// A line was passed over.
    Refused {
        /// Which one, from 1.
        line: u64,
        /// Why.
        message: String,
    },
    /// A line is stored, and something about it is odd.
    Remarked {
        /// Which one, from 1.
        line: u64,
        /// A sentence for whoever imports.
        message: String,
    },
}

impl Progress {
    const fn line(&self) -> u64 {
        match self {
            Self::Refused { line, .. } | Self::Remarked { line, .. } => *line,
            Self::Done { .. } => u64::MAX,
        }
    }
}

/// Why an import ended early. What was stored before stays; the import can be repeated.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The system could not read on; lines before that may be stored.
    #[error("the file cannot be read")]
    Read(#[from] io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Takes platform data from files. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Importer {
    context: Context,
    /// They know what a regime objects to in a supplier.
    workspaces: Workspaces,
    /// Where documents are kept; none where another service keeps them.
    documents: Option<Documents>,
}

impl Importer {
    pub(crate) const fn new(context: Context, workspaces: Workspaces) -> Self {
        Self { context, workspaces, documents: None }
    }

    /// Takes documents too that another system issued, and keeps them here.
    pub(crate) fn with_documents(self, documents: Documents) -> Self {
        Self { documents: Some(documents), ..self }
    }

    /// Stores the lines of a file. `watch` is told of every line that is passed over or odd, in order, and how far it
    /// is.
    pub async fn import(
        &self,
        actor: &Actor,
        file: impl BufRead,
        mut watch: impl FnMut(Progress),
    ) -> Result<Imported, ImportError> {
        let mut lines = Lines::new(file);
        let mut imported = Imported::default();
        loop {
            let mut batch: Vec<Parsed> = Vec::with_capacity(BATCH);
            let mut progress: Vec<Progress> = Vec::new();
            let (mut ended, mut bytes) = (false, 0_usize);
            while batch.len() < BATCH && progress.len() < BATCH && bytes < BATCH_BYTES {
                let Some(line) = lines.next()? else {
                    ended = true;
                    break;
                };
                bytes = bytes.saturating_add(line.text.as_ref().map_or(0, String::len));
                let read = match line.text {
                    Ok(text) => Record::parse(&text, &mut imported),
                    Err(message) => {
                        imported.unreadable += 1;
                        Err(message.to_owned())
                    }
                };
                match read {
                    Ok((record, omitted)) => batch.push(Parsed { line: line.number, record, omitted }),
                    Err(message) => progress.push(Progress::Refused { line: line.number, message }),
                }
            }
            // Kinds that alternate in the file are looked up and stored together.
            batch.sort_by_key(|parsed| parsed.record.rank());
            for LineOutcome { line, kind, outcome, remark } in self.store(actor, batch).await? {
                let counts = imported.kinds.entry(kind).or_default();
                match outcome {
                    Outcome::Created => counts.created += 1,
                    Outcome::Changed => counts.changed += 1,
                    Outcome::Unchanged => counts.unchanged += 1,
                    Outcome::Refused(message) => {
                        counts.refused += 1;
                        progress.push(Progress::Refused { line, message });
                    }
                }
                if let Some(message) = remark {
                    imported.remarked += 1;
                    progress.push(Progress::Remarked { line, message });
                }
            }
            progress.sort_by_key(Progress::line);
            progress.into_iter().for_each(&mut watch);
            watch(Progress::Done { bytes: lines.bytes });
            if ended {
                break;
            }
        }
        self.import_audited(actor, &imported).await?;
        Ok(imported)
    }

    /// An import that changed something is in the audit trail.
    async fn import_audited(&self, actor: &Actor, imported: &Imported) -> Result<(), StoreError> {
        if imported.written() == 0 {
            return Ok(());
        }
        let mut tx = self.context.db().begin().await?;
        let data = ImportData { kinds: &imported.kinds };
        self.context.audit().record(&mut tx, actor, "platform.import", "platform".to_owned(), &data).await?;
        tx.commit_at("import-recorded").await
    }
}
