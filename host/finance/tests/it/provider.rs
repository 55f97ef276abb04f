//! A provider that follows a script, and remembers what was asked of it.

use async_trait::async_trait;
use gateway_domain::ids::{EntryId, InvoiceId, ProviderJobId};
use gateway_domain::regime::{ProviderFault, Stamp};
use gateway_domain_finance::EntryFile;
use gateway_domain_finance::ports::{
    Entry, EntryOrder, EntryPage, Job, JobProgress, Provider, ProviderAccess, ProviderError,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use tokio::sync::Notify;
use uuid::Uuid;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    PutEntry,
    GetEntry,
    PutJob,
    GetJob,
    GetFile,
}

/// What it does with the jobs it took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Jobs {
    #[default]
    Shown,
    /// It says that it has them, and does not show them.
    Hidden,
    /// It takes them again instead of saying that it has them.
    HiddenAndTakenAgain,
}

#[derive(Debug, Clone)]
enum Cue {
    /// The call fails and does nothing.
    Fail(ProviderError),
    /// The call does its work, and the answer is lost.
    LoseAnswer,
}

#[derive(Debug, Default)]
struct Stage {
    cues: VecDeque<(Op, Cue)>,
    entries: BTreeMap<Uuid, (String, Value)>,
    jobs: BTreeMap<Uuid, Uuid>,
    /// How jobs had failed when they were first shown so; nothing said later changes that.
    ended: BTreeMap<Uuid, (JobProgress, Vec<ProviderFault>, Vec<Stamp>)>,
    calls: Vec<(Op, Uuid)>,
    progress: Option<JobProgress>,
    faults: Vec<ProviderFault>,
    stamps: Vec<Stamp>,
    replaces: bool,
    payable: Option<String>,
    is_dead: bool,
    hangs: bool,
    jobs_are: Jobs,
    chokes_on: Option<InvoiceId>,
    message: Option<(EntryFile, String)>,
}

#[derive(Debug, Default)]
pub(crate) struct ScriptedProvider(Mutex<Stage>, Notify);

fn unavailable() -> ProviderError {
    ProviderError::Unavailable { detail: "connection reset".to_owned(), retry_after_s: None }
}

impl ScriptedProvider {
    /// The next call of this kind fails.
    pub(crate) fn fails(&self, op: Op, error: ProviderError) {
        self.0.lock().unwrap().cues.push_back((op, Cue::Fail(error)));
    }

    /// The next calls of this kind find nobody.
    pub(crate) fn is_away(&self, op: Op, times: u32) {
        for _ in 0..times {
            self.fails(op, unavailable());
        }
    }

    /// The answer of the next call of this kind is lost, its work is done.
    pub(crate) fn loses_answer(&self, op: Op) {
        self.0.lock().unwrap().cues.push_back((op, Cue::LoseAnswer));
    }

    /// Whether it answers nobody.
    pub(crate) fn is_dead(&self, dead: bool) {
        self.0.lock().unwrap().is_dead = dead;
    }

    /// Uploads get no answer, and no failure either.
    pub(crate) fn hangs(&self) {
        self.0.lock().unwrap().hangs = true;
    }

    /// What it does with the jobs it took.
    pub(crate) fn jobs_are(&self, jobs: Jobs) {
        self.0.lock().unwrap().jobs_are = jobs;
    }

    /// It has no answer to uploads of this document, and to others it has.
    pub(crate) fn chokes_on(&self, document: InvoiceId) {
        self.0.lock().unwrap().chokes_on = Some(document);
    }

    /// It replaces the content of an entry instead of answering 409.
    pub(crate) fn replaces_content(&self) {
        self.0.lock().unwrap().replaces = true;
    }

    /// It computes another amount due than it was sent.
    pub(crate) fn computes(&self, payable: &str) {
        self.0.lock().unwrap().payable = Some(payable.to_owned());
    }

    /// Every job has ended well, with the authority's proof.
    pub(crate) fn accepts(&self) {
        let stamp =
            |provider: &str, value: &str| Stamp { provider: provider.to_owned(), value: value.to_owned() };
        self.ends(JobProgress::Succeeded, Vec::new());
        self.0.lock().unwrap().stamps =
            vec![stamp("qr", "https://authority.example/v"), stamp("hash", "ABC")];
    }

    /// Every job has sent this to the authority.
    pub(crate) fn has_sent(&self, media_type: &str, body: &str) {
        let (category, media_type) = ("request".to_owned(), media_type.to_owned());
        let file = EntryFile { id: Uuid::from_u128(9), category, media_type, size: None, created_at: None };
        self.0.lock().unwrap().message = Some((file, body.to_owned()));
    }

    /// Every job has ended badly, for this reason.
    pub(crate) fn rejects(&self, code: &str, message: &str) {
        let fault = ProviderFault {
            code: Some(code.to_owned()),
            message: Some(message.to_owned()),
            ..ProviderFault::default()
        };
        self.ends(JobProgress::Failed, vec![fault]);
    }

    /// Every job has ended so.
    pub(crate) fn ends(&self, progress: JobProgress, faults: Vec<ProviderFault>) {
        let mut stage = self.0.lock().unwrap();
        (stage.progress, stage.faults, stage.stamps) = (Some(progress), faults, Vec::new());
    }

    /// The jobs taken so far have ended as was just said, whatever is said of later ones.
    pub(crate) fn settles_what_it_has(&self) {
        let mut stage = self.0.lock().unwrap();
        let so = (stage.progress.unwrap(), stage.faults.clone(), stage.stamps.clone());
        let jobs: Vec<_> = stage.jobs.keys().copied().collect();
        stage.ended.extend(jobs.into_iter().map(|job| (job, so.clone())));
    }

    /// The entry carries this too.
    pub(crate) fn attaches(&self, provider: &str, value: &str) {
        let stamp = Stamp { provider: provider.to_owned(), value: value.to_owned() };
        self.0.lock().unwrap().stamps.push(stamp);
    }

    /// What was asked of it, in order.
    pub(crate) fn calls(&self) -> Vec<Op> {
        self.0.lock().unwrap().calls.iter().map(|(op, _)| *op).collect()
    }

    /// Waits for a call of this kind.
    pub(crate) async fn until_called(&self, op: Op) {
        loop {
            let next_call = self.1.notified();
            if self.calls().contains(&op) {
                return;
            }
            next_call.await;
        }
    }

    /// The ids that calls of this kind named, in order.
    pub(crate) fn ids(&self, op: Op) -> Vec<Uuid> {
        self.0.lock().unwrap().calls.iter().filter(|(called, _)| *called == op).map(|(_, id)| *id).collect()
    }

    /// How many entries it keeps.
    pub(crate) fn entries(&self) -> usize {
        self.0.lock().unwrap().entries.len()
    }

    fn play<T>(
        &self,
        op: Op,
        id: Uuid,
        work: impl FnOnce(&mut Stage) -> Result<T, ProviderError>,
    ) -> Result<T, ProviderError> {
        let mut stage = self.0.lock().unwrap();
        stage.calls.push((op, id));
        self.1.notify_waiters();
        if stage.is_dead {
            return Err(unavailable());
        }
        let cued = stage.cues.iter().position(|(cued, _)| *cued == op);
        match cued.and_then(|at| stage.cues.remove(at)) {
            Some((_, Cue::Fail(error))) => Err(error),
            Some((_, Cue::LoseAnswer)) => work(&mut stage).and(Err(unavailable())),
            None => work(&mut stage),
        }
    }
}

fn entry(stage: &Stage, id: Uuid) -> Result<Entry, ProviderError> {
    let (key, document) = stage.entries.get(&id).ok_or(ProviderError::NotFound)?;
    let files = stage.message.iter().map(|(file, _)| file.clone()).collect();
    // Ids are ordered by time: the last job of the entry counts.
    let last = stage.jobs.iter().rev().find(|(_, of)| **of == id).and_then(|(job, _)| stage.ended.get(job));
    let stamps = last.map_or_else(|| stage.stamps.clone(), |(_, _, stamps)| stamps.clone());
    let raw = document.to_string();
    Ok(Entry {
        id,
        key: Some(key.clone()),
        document: document.clone(),
        signed: false,
        stamps,
        faults: Vec::new(),
        files,
        raw,
    })
}

fn job(stage: &Stage, id: Uuid) -> Result<Job, ProviderError> {
    let entry = Some(*stage.jobs.get(&id).ok_or(ProviderError::NotFound)?);
    let (progress, faults) = match stage.ended.get(&id) {
        Some((progress, faults, _)) => (*progress, faults.clone()),
        None => (stage.progress.unwrap_or(JobProgress::Running), stage.faults.clone()),
    };
    let sound_steps = Vec::new();
    Ok(Job { id, entry, progress, created_at: None, faults, sound_steps, raw: "{}".to_owned() })
}

#[async_trait]
impl Provider for ScriptedProvider {
    async fn put_entry(
        &self,
        access: &ProviderAccess,
        id: EntryId,
        key: &str,
        document: &str,
    ) -> Result<Entry, ProviderError> {
        assert_eq!(access.token.expose(), "provider-token");
        if self.0.lock().unwrap().hangs {
            self.play(Op::PutEntry, id.uuid(), |_| Ok(())).unwrap();
            std::future::pending::<()>().await;
        }
        self.play(Op::PutEntry, id.uuid(), |stage| {
            if stage.entries.contains_key(&id.uuid()) && !stage.replaces {
                return Err(ProviderError::Conflict);
            }
            let mut document: Value = serde_json::from_str(document).unwrap();
            if stage.chokes_on.is_some_and(|choking| document["uuid"] == json!(choking)) {
                return Err(unavailable());
            }
            if let Some(payable) = &stage.payable {
                document["totals"]["payable"] = json!(payable);
            }
            stage.entries.insert(id.uuid(), (key.to_owned(), document));
            entry(stage, id.uuid())
        })
    }

    async fn replace_entry(&self, _: &ProviderAccess, _: EntryId, _: &str) -> Result<Entry, ProviderError> {
        panic!("submissions replace no entry")
    }

    async fn get_entry(&self, _: &ProviderAccess, id: EntryId) -> Result<Entry, ProviderError> {
        self.play(Op::GetEntry, id.uuid(), |stage| entry(stage, id.uuid()))
    }

    async fn list_entries(
        &self,
        _: &ProviderAccess,
        _: EntryOrder,
        _: Option<&str>,
    ) -> Result<EntryPage, ProviderError> {
        Ok(EntryPage { entries: Vec::new(), next: None })
    }

    async fn get_file(
        &self,
        _: &ProviderAccess,
        _: EntryId,
        file: Uuid,
        _: usize,
    ) -> Result<String, ProviderError> {
        self.play(Op::GetFile, file, |stage| {
            stage.message.as_ref().map(|(_, body)| body.clone()).ok_or(ProviderError::NotFound)
        })
    }

    async fn put_job(
        &self,
        _: &ProviderAccess,
        id: ProviderJobId,
        _: Uuid,
        of: EntryId,
        _: &str,
    ) -> Result<Job, ProviderError> {
        self.play(Op::PutJob, id.uuid(), |stage| {
            if stage.jobs.insert(id.uuid(), of.uuid()).is_some()
                && stage.jobs_are != Jobs::HiddenAndTakenAgain
            {
                return Err(ProviderError::Conflict);
            }
            job(stage, id.uuid())
        })
    }

    async fn get_job(&self, _: &ProviderAccess, id: ProviderJobId) -> Result<Job, ProviderError> {
        self.play(Op::GetJob, id.uuid(), |stage| match stage.jobs_are {
            Jobs::Shown => {
                let found = job(stage, id.uuid())?;
                if found.progress == JobProgress::Failed {
                    let so = (found.progress, found.faults.clone(), stage.stamps.clone());
                    stage.ended.entry(id.uuid()).or_insert(so);
                }
                Ok(found)
            }
            Jobs::Hidden | Jobs::HiddenAndTakenAgain => Err(ProviderError::NotFound),
        })
    }
}
