//! Lines that are stored together. Lines of one kind that follow each other are looked up together: what they refer to,
//! what is stored under their ids, and what they have to fit in with.

use super::Importer;
use super::batch_events::BatchEvents;
use super::kind::{Kind, Reference};
use super::outcome::{LineOutcome, Outcome};
use super::record::{OmittedMembers, Parsed, Record};
use super::{issued_document, suppliers, workspace};
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_domain_input::document::IssuedDocumentForm;
use gateway_storage::references::{self, ReferenceTarget};
use gateway_storage::{Tx, creation_clock};
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use uuid::Uuid;

impl Importer {
    /// Stores a batch. When the schema refuses a row that the rules let pass, each line is stored on its own, so that only
    /// that row is passed over.
    pub(super) async fn store(
        &self,
        actor: &Actor,
        mut batch: Vec<Parsed>,
    ) -> Result<Vec<LineOutcome>, StoreError> {
        let documents = take_out_documents(&mut batch);
        let mut all = self.store_platform(actor, batch).await?;
        all.extend(issued_document::store(self, actor, documents).await?);
        Ok(all)
    }

    async fn store_platform(
        &self,
        actor: &Actor,
        mut batch: Vec<Parsed>,
    ) -> Result<Vec<LineOutcome>, StoreError> {
        let mut all = suppliers::remove_refused(self, &mut batch).await?;
        match self.store_together(actor, &batch).await {
            Err(error) if error.is_refused() => {}
            stored => {
                all.extend(stored?);
                return Ok(all);
            }
        }
        for parsed in batch {
            let (line, kind) = (parsed.line, parsed.record.kind());
            match self.store_together(actor, std::slice::from_ref(&parsed)).await {
                Ok(stored) => all.extend(stored),
                Err(error) if error.is_refused() => {
                    // The report of the import says it; this is for whoever looks for a rule that is missing.
                    tracing::debug!(
                        error = &error as &dyn std::error::Error,
                        "The database refused line {line}"
                    );
                    let message = format!("the {kind} contradicts what is stored");
                    all.push(LineOutcome { line, kind, outcome: Outcome::Refused(message), remark: None });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }

    /// Lines in one transaction.
    async fn store_together(&self, actor: &Actor, batch: &[Parsed]) -> Result<Vec<LineOutcome>, StoreError> {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        let mut tx = self.context.db().begin().await?;
        let now = creation_clock::next(&mut tx, self.context.now()).await?;
        let mut all = Vec::with_capacity(batch.len());
        let mut events = BatchEvents::default();
        for run in batch.chunk_by(|one, next| one.record.kind() == next.record.kind()) {
            all.extend(self.run(&mut tx, run, now, &mut events).await?);
        }
        let changes = events.changes(&mut tx).await?;
        self.context.events().append_changes(&mut tx, actor, &changes).await?;
        tx.commit_at("import-batch-written").await?;
        Ok(all)
    }

    /// Lines of one kind.
    async fn run(
        &self,
        tx: &mut Tx,
        run: &[Parsed],
        now: Timestamp,
        events: &mut BatchEvents,
    ) -> Result<Vec<LineOutcome>, StoreError> {
        macro_rules! run_of {
            ($($name:ident)*) => {
                match run.first().map(|parsed| &parsed.record) {
                    // Documents are stored on their own.
                    None | Some(Record::IssuedDocument(_)) => Ok(Vec::new()),
                    Some(Record::Workspace(_)) => self.store_workspaces(tx, run).await,
                    $(Some(Record::$name(_)) => {
                        let lines = run.iter().filter_map(|parsed| match &parsed.record {
                            Record::$name(value) => Some((parsed.line, value.as_ref(), &parsed.omitted)),
                            _ => None,
                        });
                        self.store_kind(tx, lines.collect(), now, events).await
                    })*
                }
            };
        }
        run_of!(Building UnitType Amenity Unit ProductGroup Product RatePlan Tariff Booking Conversation Message User
            Team Task)
    }

    async fn store_workspaces(&self, tx: &mut Tx, run: &[Parsed]) -> Result<Vec<LineOutcome>, StoreError> {
        let mut all = Vec::new();
        for parsed in run {
            if let Record::Workspace(line) = &parsed.record {
                let (outcome, remark) = workspace::store(self, tx, line).await?;
                all.push(LineOutcome { line: parsed.line, kind: parsed.record.kind(), outcome, remark });
            }
        }
        Ok(all)
    }

    async fn store_kind<K: Kind>(
        &self,
        tx: &mut Tx,
        lines: Vec<(u64, &K, &OmittedMembers)>,
        now: Timestamp,
        events: &mut BatchEvents,
    ) -> Result<Vec<LineOutcome>, StoreError> {
        let known = References::of(tx, lines.iter().map(|(_, value, _)| *value)).await?;
        let ids: BTreeSet<Uuid> = lines.iter().map(|(_, value, _)| value.id()).collect();
        let repeated = ids.len() < lines.len();
        let mut stored = K::find_stored(tx, &ids.into_iter().collect::<Vec<_>>()).await?;
        let values: Vec<(u64, &K, K)> = lines
            .into_iter()
            .map(|(line, read, omitted)| {
                let mut value = read.clone();
                value.tidy();
                if let Some(stored) = stored.get(&value.id()) {
                    value.keep(stored, &|member| omitted.contains(&member));
                }
                (line, read, value)
            })
            .collect();
        let moving = values.iter().map(|(_, _, value)| value);
        let moving: Vec<&K> =
            moving.filter(|value| repeated || stored.get(&value.id()) != Some(*value)).collect();
        let mut constraints =
            if moving.is_empty() { K::Constraints::default() } else { K::constraints(tx, &moving).await? };
        let mut all = Vec::with_capacity(values.len());
        // Each once, as the last line about it says.
        let mut written: Vec<Uuid> = Vec::new();
        let mut written_ids: HashSet<Uuid> = HashSet::new();
        for (line, read, mut value) in values {
            let before = stored.get(&value.id());
            let mut remark = None;
            let outcome = if before == Some(&value) {
                Outcome::Unchanged
            } else if let Err(message) =
                known.allow(read, before).and_then(|()| value.validate(before, &constraints))
            {
                Outcome::Refused(message)
            } else {
                remark = value.remark(before, &constraints);
                value.include_in(before, &mut constraints);
                value.append_events(before, events);
                let outcome = if before.is_some() { Outcome::Changed } else { Outcome::Created };
                if written_ids.insert(value.id()) {
                    written.push(value.id());
                }
                stored.insert(value.id(), value);
                outcome
            };
            all.push(LineOutcome { line, kind: K::NAME, outcome, remark });
        }
        let written: Vec<&K> = written.iter().filter_map(|id| stored.get(id)).collect();
        if !written.is_empty() {
            K::put(tx, &written, now).await?;
        }
        Ok(all)
    }
}

/// Takes the documents out of a batch.
fn take_out_documents(batch: &mut Vec<Parsed>) -> Vec<(u64, IssuedDocumentForm)> {
    let mut documents = Vec::new();
    for parsed in std::mem::take(batch) {
        match parsed.record {
            Record::IssuedDocument(form) => documents.push((parsed.line, *form)),
            record => batch.push(Parsed { record, ..parsed }),
        }
    }
    documents
}

/// What lines refer to and what of it is there.
struct References {
    workspaces: HashSet<WorkspaceId>,
    things: BTreeMap<ReferenceTarget, HashMap<Uuid, WorkspaceId>>,
}

impl References {
    async fn of<'a, K: Kind + 'a>(
        tx: &mut Tx,
        values: impl Iterator<Item = &'a K>,
    ) -> Result<Self, StoreError> {
        let mut workspaces: BTreeSet<WorkspaceId> = BTreeSet::new();
        let mut referred: BTreeMap<ReferenceTarget, BTreeSet<Uuid>> = BTreeMap::new();
        for value in values {
            workspaces.extend(value.workspaces().into_iter().map(|(_, id)| id));
            for Reference { what, id, .. } in value.references() {
                referred.entry(what).or_default().insert(id);
            }
        }
        let mut things = BTreeMap::new();
        for (what, ids) in referred {
            let ids: Vec<Uuid> = ids.into_iter().collect();
            things.insert(what, references::workspaces_of(&mut *tx, what, &ids).await?);
        }
        let workspaces: Vec<WorkspaceId> = workspaces.into_iter().collect();
        let workspaces = match workspaces.as_slice() {
            [] => HashSet::new(),
            some => references::workspaces(tx, some).await?,
        };
        Ok(Self { workspaces, things })
    }

    /// Whether everything that a value refers to is there, in its own workspace, and the value stays in it.
    fn allow<K: Kind>(&self, value: &K, before: Option<&K>) -> Result<(), String> {
        if let Some((field, missing)) =
            value.workspaces().into_iter().find(|(_, id)| !self.workspaces.contains(id))
        {
            return Err(format!("{field}: there is no workspace {missing}"));
        }
        if let Some(before) = before
            && before.workspace() != value.workspace()
        {
            return Err(format!("workspace_id: the {} belongs to another workspace", K::NAME));
        }
        for Reference { field, what, id } in value.references() {
            let found = self.things.get(&what).and_then(|known| known.get(&id));
            let own = match value.workspace() {
                Some(workspace) if what.has_workspace() => found == Some(&workspace),
                _ => found.is_some(),
            };
            if !own {
                return Err(format!("{field}: there is no {} {id}", what.as_str()));
            }
        }
        Ok(())
    }
}
