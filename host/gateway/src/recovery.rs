//! `gateway backup`, `restore` and `move`.

use crate::clock::SystemClock;
use crate::doctor::chain::Registry;
use crate::doctor::{self, FindingView, Findings};
use crate::known_databases::KnownDatabases;
use crate::services::Readers;
use crate::wiring::{self, WiringError};
use gateway_access::secrets::Passphrase;
use gateway_cli::args::{BackupArgs, MoveArgs, RestoreArgs};
use gateway_config::Config;
use gateway_domain::ports::Clock;
use gateway_recovery::RecoveryError;
use gateway_recovery::backup::{BackedUp, BackupRequest, back_up};
use gateway_recovery::manifest::{Content, Manifest, SeriesContent};
use gateway_recovery::restore::{self, RestoreRequest, RestoredKeys};
use gateway_recovery::transfer;
use gateway_terminal::{Failure, Out};
use secrecy::ExposeSecret;
use serde::Serialize;
use std::path::{Path, PathBuf};
use tokio::signal::unix::{SignalKind, signal};
use zeroize::Zeroizing;

/// What no database can know.
const WHAT_IS_MISSING: &str = "What was issued later is not in it: before anybody issues again, look up at the provider whether it holds a later number of any series.";

/// A database of an older release is proved once it is up to date.
const CHAIN_LATER: &str =
    "It is of an older release: 'gateway doctor --chain' proves that nothing in it is missing.";

/// `gateway backup`.
pub(crate) async fn backup(args: BackupArgs, config: &Config, out: Out) -> Result<(), Failure> {
    if args.verify {
        let manifest = restore::verify(&args.file).await?;
        out.data(&manifest, || verified(&args.file, &manifest));
        return ensure_whole(&manifest.content);
    }
    let passphrase = args.passphrase_file.as_deref().map(read_passphrase).transpose()?;
    let (url, keys) = (config.database_url(), config.master_key_file());
    wiring::ensure_not_lost(config)?;
    ensure_there(config)?;
    let db = wiring::connect(config).await?;
    let done = back_up(
        &db,
        BackupRequest {
            file: &args.file,
            url: url.expose_secret(),
            gateway_version: env!("CARGO_PKG_VERSION"),
            now: SystemClock.now(),
            keys: passphrase.as_ref().map(|passphrase| (keys.as_path(), passphrase)),
        },
    );
    let done = Box::pin(unless_interrupted(done)).await;
    db.close().await;
    let done = done?;
    out.data(&done.manifest, || backed_up(&args.file, &done, &keys));
    ensure_whole(&done.manifest.content)
}

/// `gateway restore`.
pub(crate) async fn restore(args: RestoreArgs, config: &Config, out: Out) -> Result<(), Failure> {
    let passphrase = args.passphrase_file.as_deref().map(read_passphrase).transpose()?;
    let (url, keys) = (config.database_url(), config.master_key_file());
    let restored = restore::restore(RestoreRequest {
        file: &args.file,
        url: url.expose_secret(),
        master_key_file: &keys,
        passphrase: passphrase.as_ref(),
        clock: &SystemClock,
    });
    let restored = unless_interrupted(restored).await?;
    let db = wiring::connect_restored(config).await?;
    let database = db.location();
    KnownDatabases::of(config).remember(&database);
    let chain = match db.is_migrated().await {
        Ok(true) => chain_of(wiring::readers(&db), wiring::registry(config, &db)).await.map(Some),
        Ok(false) => Ok(None),
        Err(error) => Err(error.into()),
    };
    db.close().await;
    let chain = chain?;
    let view = RestoredView {
        database,
        made_at: restored.manifest.made_at.to_string(),
        keys: KeysView::from(restored.keys),
        log_set_aside: restored.log_set_aside,
        content: &restored.manifest.content,
        chain: chain.as_ref().map(Findings::views),
    };
    out.data(&view, || view.text(&keys));
    ensure_whole(view.content)?;
    chain.as_ref().map_or(Ok(()), Findings::ensure_sound)
}

/// Whether everything that was issued is there; not for a database of an older release, whose schema is brought up to date
/// at the first start.
async fn chain_of(readers: Readers, registry: Registry) -> Result<Findings, Failure> {
    let mut findings = Findings::default();
    doctor::chain::prove(&mut findings, (readers, registry), None).await?;
    Ok(findings)
}

/// `gateway move`.
pub(crate) async fn move_database(args: MoveArgs, config: &Config, out: Out) -> Result<(), Failure> {
    wiring::ensure_not_lost(config)?;
    ensure_there(config)?;
    let (from, _held) = wiring::connect_alone(config.database_url().expose_secret()).await?;
    let moved = async {
        if !from.is_migrated().await? {
            return Err(Failure::from(WiringError::NotMigrated));
        }
        let (to, _held) = wiring::connect_alone(&args.to).await?;
        let moved = transfer::move_all(&from, &to).await;
        if moved.is_ok() {
            KnownDatabases::of(config).remember(&to.location());
        }
        let location = to.location();
        to.close().await;
        Ok((location, moved?))
    };
    let moved = moved.await;
    let source = from.location();
    from.close().await;
    let (to, moved) = moved?;
    let view = MovedView { from: source, to, resumed: moved.resumed, content: &moved.content };
    out.data(&view, || view.text());
    Ok(())
}

/// Refuses a SQLite file that is not there, before one is made.
fn ensure_there(config: &Config) -> Result<(), RecoveryError> {
    if wiring::missing_database(config).is_some() { Err(RecoveryError::NothingThere) } else { Ok(()) }
}

/// Does the work, and gives it up when somebody asks the program to end: what was begun is taken away then.
async fn unless_interrupted<T>(work: impl Future<Output = Result<T, RecoveryError>>) -> Result<T, Failure> {
    let mut end = signal(SignalKind::terminate())?;
    tokio::select! {
        done = work => Ok(done?),
        _ = tokio::signal::ctrl_c() => Err(RecoveryError::Interrupted.into()),
        _ = end.recv() => Err(RecoveryError::Interrupted.into()),
    }
}

fn read_passphrase(file: &Path) -> Result<Passphrase, Failure> {
    let text = std::fs::read_to_string(file).map(Zeroizing::new).map_err(|error| {
        let reason = Failure::from(error);
        Failure::misuse(format!("--passphrase-file {} cannot be read: {reason}", file.display()))
    })?;
    Ok(Passphrase::new(&text)?)
}

/// A series with a gap is told, and not passed over.
fn ensure_whole(content: &Content) -> Result<(), Failure> {
    let broken: Vec<String> = content.broken_series().map(name_of).collect();
    if broken.is_empty() {
        return Ok(());
    }
    let named = broken.join(", ");
    Err(Failure::refused(format!(
        "numbers are missing or would be given twice ({named}): ask for help before anybody issues"
    )))
}

fn name_of(series: &SeriesContent) -> String {
    format!("{} numbers of workspace {}, {}", series.kind, series.workspace_id, series.year)
}

fn series_lines(content: &Content) -> Vec<String> {
    let line = |series: &SeriesContent| {
        let name = name_of(series);
        match (&series.first, &series.last) {
            (Some(first), Some(last)) => {
                let (first, last, given) = (&first.number, &last.number, series.given);
                let proof = if series.without_gap { "none is missing" } else { "NOT ALL OF THEM ARE THERE" };
                format!("{name}: {first} to {last}, {given} numbers, {proof}.")
            }
            _ => format!("{name}: none was given."),
        }
    };
    content.series.iter().map(line).collect()
}

fn extent(content: &Content) -> String {
    format!("{} rows in {} tables", content.rows(), content.tables.len())
}

fn backed_up(file: &Path, done: &BackedUp, keys: &Path) -> String {
    let BackedUp { manifest, bytes } = done;
    let first = format!("{} holds {}, {bytes} bytes.", file.display(), extent(&manifest.content));
    let about_keys = if manifest.has_keys() {
        "The master keys are in it: keep the passphrase apart from it.".to_owned()
    } else {
        format!(
            "The master keys are not in it: to restore it, the master key file is needed too, which is {}.",
            keys.display()
        )
    };
    [vec![first, about_keys], series_lines(&manifest.content)].concat().join("\n")
}

fn verified(file: &Path, manifest: &Manifest) -> String {
    let about = format!(
        "{} is as it was written at {} by gateway {}: a {} database with schema {}, {}, {}.",
        file.display(),
        manifest.made_at,
        manifest.gateway_version,
        manifest.engine.as_str(),
        manifest.schema_version,
        extent(&manifest.content),
        if manifest.has_keys() { "with its master keys" } else { "without its master keys" },
    );
    [vec![about], series_lines(&manifest.content)].concat().join("\n")
}

/// What became of the master keys.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum KeysView {
    Installed,
    Found,
    Missing,
}

impl From<RestoredKeys> for KeysView {
    fn from(keys: RestoredKeys) -> Self {
        match keys {
            RestoredKeys::Installed => Self::Installed,
            RestoredKeys::Found => Self::Found,
            RestoredKeys::Missing => Self::Missing,
        }
    }
}

#[derive(Serialize)]
struct RestoredView<'a> {
    database: String,
    made_at: String,
    keys: KeysView,
    log_set_aside: Option<PathBuf>,
    content: &'a Content,
    chain: Option<Vec<FindingView<'a>>>,
}

impl RestoredView<'_> {
    fn text(&self, keys: &Path) -> String {
        let Self { database, made_at, content, .. } = self;
        let keys = keys.display();
        let first = format!("{database} holds {} again, each as it was backed up.", extent(content));
        let about_keys = match self.keys {
            KeysView::Installed => format!("The master keys are in {keys}."),
            KeysView::Found => format!("The master keys in {keys} open it."),
            KeysView::Missing => {
                format!(
                    "Nothing that is sealed can be opened yet: put the master key file at {keys} before the gateway starts."
                )
            }
        };
        let log = self.log_set_aside.as_ref().map(|log| {
            format!(
                "The log that the lost database had left is {} now, and is not part of it.",
                log.display()
            )
        });
        let last = format!("It is as of {made_at}. {WHAT_IS_MISSING}");
        let mut lines = vec![first, about_keys];
        lines.extend(log);
        lines.extend(series_lines(content));
        match &self.chain {
            Some(chain) => lines.extend(chain.iter().map(|finding| finding.cells().join(" "))),
            None => lines.push(CHAIN_LATER.to_owned()),
        }
        lines.push(last);
        lines.join("\n")
    }
}

#[derive(Serialize)]
struct MovedView<'a> {
    from: String,
    to: String,
    resumed: bool,
    content: &'a Content,
}

impl MovedView<'_> {
    fn text(&self) -> String {
        let Self { from, to, resumed, content } = self;
        let first = format!("{to} holds everything of {from}: {}, the same on both sides.", extent(content));
        let resumed = resumed.then(|| "An earlier move was finished.".to_owned());
        let last = format!(
            "Set database.url (GATEWAY_DATABASE__URL) to the new one. {from} stays as it is: never serve it again, because it would give the same numbers."
        );
        let mut lines = vec![first];
        lines.extend(resumed);
        lines.extend(series_lines(content));
        lines.push(last);
        lines.join("\n")
    }
}
