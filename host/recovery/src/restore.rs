//! A file into an empty database, and the check of a file.

use crate::archive::Archive;
use crate::backup::draft_folder;
use crate::content;
use crate::error::{RecoveryError, blocking};
use crate::manifest::{BackupEngine, Manifest, MemberName};
use crate::postgres::{self, Address};
use gateway_access::ensure_opens;
use gateway_access::secrets::{KeyFileText, Keyring, Passphrase, WrapError, WrappedKeys};
use gateway_domain::ports::Clock;
use gateway_storage::tables::{Schema, journal};
use gateway_storage::{Db, Engine, Options, keys};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where a backup is restored to.
#[derive(Debug)]
pub struct RestoreRequest<'r> {
    /// The backup.
    pub file: &'r Path,
    /// The address of the database.
    pub url: &'r str,
    /// Where the master keys belong.
    pub master_key_file: &'r Path,
    /// What the keys in the backup are wrapped by; none: they stay in it.
    pub passphrase: Option<&'r Passphrase>,
    /// The time.
    pub clock: &'r dyn Clock,
}

/// What was restored.
#[derive(Debug)]
pub struct Restored {
    /// What the backup says of itself, and the database now holds.
    pub manifest: Manifest,
    /// What became of the keys.
    pub keys: RestoredKeys,
    /// The log that a lost database had left, under its new name.
    pub log_set_aside: Option<PathBuf>,
}

/// What became of the master keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestoredKeys {
    /// Those of the backup are in their file now.
    Installed,
    /// Those that were there open what was restored.
    Found,
    /// There are none: their file has to be put in its place.
    Missing,
}

/// Reads a backup to its end. The database of a SQLite backup is opened too, and compared with what the backup says of it; one of
/// PostgreSQL needs a server for that.
pub async fn verify(file: &Path) -> Result<Manifest, RecoveryError> {
    let archive = open(file).await?;
    if archive.manifest.engine == BackupEngine::Sqlite {
        let draft = tempfile::tempdir().map_err(RecoveryError::file(file, "checked"))?;
        let (copy, _) = extracted(&archive, draft.path()).await?;
        copy.close().await;
    }
    Ok(archive.manifest.clone())
}

/// Restores a backup into an empty database.
pub async fn restore(request: RestoreRequest<'_>) -> Result<Restored, RecoveryError> {
    let archive = open(request.file).await?;
    let engine = ensure_fits(&archive.manifest, request.url)?;
    let keys = wrapped_keys(&archive, &request)?;
    match engine {
        Engine::Sqlite => into_file(&archive, &request, keys).await,
        Engine::Postgres => into_server(&archive, &request, keys).await,
    }
}

async fn open(file: &Path) -> Result<Arc<Archive>, RecoveryError> {
    let file = file.to_owned();
    blocking(move || Archive::open(&file)).await.map(Arc::new)
}

/// Refuses what this program and its database cannot take.
fn ensure_fits(manifest: &Manifest, url: &str) -> Result<Engine, RecoveryError> {
    let engine = Db::engine_of(url).unwrap_or(Engine::Sqlite);
    let configured = BackupEngine::from(engine);
    if configured != manifest.engine {
        let (found, configured) = (manifest.engine.as_str(), configured.as_str());
        return Err(RecoveryError::OtherEngine { found, configured });
    }
    let known = Db::newest_schema_version(engine);
    if manifest.schema_version > known {
        let (found, made_by) = (manifest.schema_version, manifest.gateway_version.clone());
        return Err(RecoveryError::NewerSchema { found, known, made_by });
    }
    Ok(engine)
}

/// The keys of the backup, if they are asked for.
fn wrapped_keys(
    archive: &Archive,
    request: &RestoreRequest<'_>,
) -> Result<Option<KeyFileText>, RecoveryError> {
    let Some(passphrase) = request.passphrase else { return Ok(None) };
    if !archive.manifest.has_keys() {
        return Err(RecoveryError::NoKeys);
    }
    let text = archive.small_member(MemberName::MasterKeys)?;
    let wrapped: WrappedKeys = serde_json::from_slice(&text).map_err(|_| WrapError::Unknown)?;
    let keys = wrapped.unwrap(passphrase)?;
    keys.ensure_fits(request.master_key_file)?;
    Ok(Some(keys))
}

/// The SQLite database of a backup in a file of its own, compared with what the backup says of it.
async fn extracted(archive: &Arc<Archive>, folder: &Path) -> Result<(Db, PathBuf), RecoveryError> {
    let file = folder.join(MemberName::Sqlite.as_str());
    let (from, to) = (Arc::clone(archive), file.clone());
    blocking(move || from.extract(MemberName::Sqlite, &to)).await?;
    let db = Db::connect_file(&file).await?;
    let compared = compare(&db, &archive.manifest).await;
    if let Err(error) = compared {
        db.close().await;
        return Err(error);
    }
    Ok((db, file))
}

/// Every row, every digest and the numbers of every series are as they were.
async fn compare(db: &Db, manifest: &Manifest) -> Result<(), RecoveryError> {
    if let Some(damage) = db.damage().await? {
        return Err(RecoveryError::Different(damage));
    }
    let found = content::read(db).await?;
    let differences = manifest.content.differences(&found);
    if differences.is_empty() { Ok(()) } else { Err(RecoveryError::Different(differences.join(", "))) }
}

async fn into_file(
    archive: &Arc<Archive>,
    request: &RestoreRequest<'_>,
    keys: Option<KeyFileText>,
) -> Result<Restored, RecoveryError> {
    let place = free_place(request.url)?;
    make_folder_of(&place)?;
    let draft = draft_folder(&place)?;
    let (db, file) = extracted(archive, draft.path()).await?;
    let opened = open_with_keys(&db, request, keys.as_ref(), draft.path()).await;
    db.close().await;
    let found = opened?;
    let installed = installed(request, keys.as_ref())?;
    let placed = put_in_place(&file, &place);
    if placed.is_err() && installed {
        // Nothing is left behind; why it was not restored is what matters.
        let _ = std::fs::remove_file(request.master_key_file);
    }
    let log_set_aside = placed?;
    let keys = if installed { RestoredKeys::Installed } else { found };
    Ok(Restored { manifest: archive.manifest.clone(), keys, log_set_aside })
}

/// Puts the keys of the backup in their place; `false` when they are there already, or are not asked for.
fn installed(request: &RestoreRequest<'_>, keys: Option<&KeyFileText>) -> Result<bool, RecoveryError> {
    let Some(keys) = keys else { return Ok(false) };
    make_folder_of(request.master_key_file)?;
    Ok(keys.install(request.master_key_file)?)
}

/// Only this user may look into a folder that is made for a database or its keys.
fn make_folder_of(file: &Path) -> Result<(), RecoveryError> {
    let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(RecoveryError::file(file, "restored"))
}

/// Where nothing is, and nobody uses what was there.
fn free_place(url: &str) -> Result<PathBuf, RecoveryError> {
    let named = || url.split_once(':').map_or(url, |(_, path)| path).to_owned();
    let place = Db::path_to_create(url).ok_or_else(|| RecoveryError::NotEmpty(named()))?;
    let place = PathBuf::from(place.split_once(':').map_or(place.as_str(), |(_, path)| path));
    if Db::is_place_used(&place) {
        return Err(RecoveryError::Served(place.display().to_string()));
    }
    Ok(place)
}

/// Makes sure that the keys open what was restored, those of the backup or those that are there.
async fn open_with_keys(
    db: &Db,
    request: &RestoreRequest<'_>,
    keys: Option<&KeyFileText>,
    draft: &Path,
) -> Result<RestoredKeys, RecoveryError> {
    let path = match keys {
        Some(keys) => {
            let path = draft.join("master.key");
            keys.install(&path)?;
            path
        }
        None => request.master_key_file.to_owned(),
    };
    if !path.exists() {
        return Ok(RestoredKeys::Missing);
    }
    // A restored database may be older than this program, which brings it up to date at its first start.
    let keyring = Keyring::open_for(&path, &keys::keyring_ids(db).await?)?;
    if db.is_migrated().await? {
        ensure_opens(db, &keyring, request.clock).await?;
    }
    Ok(RestoredKeys::Found)
}

/// Moves the finished file to its name, in one step.
fn put_in_place(file: &Path, place: &Path) -> Result<Option<PathBuf>, RecoveryError> {
    let failed = || RecoveryError::file(place, "restored");
    if Db::has_log(file) {
        return Err(RecoveryError::Different("its log was not written down".to_owned()));
    }
    File::open(file).and_then(|file| file.sync_all()).map_err(failed())?;
    let log_set_aside = Db::set_log_aside(place).map_err(failed())?;
    match std::fs::metadata(place) {
        // An empty file is no database.
        Ok(found) if found.len() == 0 => std::fs::rename(file, place).map_err(failed())?,
        _ => match renameat_with(CWD, file, CWD, place, RenameFlags::NOREPLACE) {
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
                std::fs::rename(file, place).map_err(failed())?;
            }
            Err(rustix::io::Errno::EXIST) => {
                return Err(RecoveryError::NotEmpty(place.display().to_string()));
            }
            renamed => renamed.map_err(|error| failed()(error.into()))?,
        },
    }
    let folder = place.parent().unwrap_or(Path::new("/"));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed())?;
    Ok(log_set_aside)
}

async fn into_server(
    archive: &Arc<Archive>,
    request: &RestoreRequest<'_>,
    keys: Option<KeyFileText>,
) -> Result<Restored, RecoveryError> {
    let address = Address::of(request.url)?;
    postgres::ensure_restores().await?;
    let db = Db::connect(request.url, &Options::for_recovery()).await?;
    let restored = async {
        ensure_empty(&db).await?;
        address.restore(archive.member(MemberName::PgDump)?).await?;
        compare(&db, &archive.manifest).await?;
        let installed = installed(request, keys.as_ref())?;
        let found = open_with_keys(&db, request, None, Path::new("")).await?;
        Ok::<_, RecoveryError>(if installed { RestoredKeys::Installed } else { found })
    };
    let restored = restored.await;
    db.close().await;
    Ok(Restored { manifest: archive.manifest.clone(), keys: restored?, log_set_aside: None })
}

/// Refuses a database that holds something, or that a gateway is about to fill.
async fn ensure_empty(db: &Db) -> Result<(), RecoveryError> {
    if !db.is_empty().await?
        || !Schema::read(db).await?.tables.is_empty()
        || journal::is_unfinished(db).await?
    {
        return Err(RecoveryError::NotEmpty(db.location()));
    }
    if db.is_served().await? {
        return Err(RecoveryError::Served(db.location()));
    }
    Ok(())
}
