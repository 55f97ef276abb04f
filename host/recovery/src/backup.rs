//! A database into a file, while gateways serve it.

use crate::archive;
use crate::content;
use crate::error::{RecoveryError, blocking};
use crate::manifest::{BackupEngine, Content, FORMAT, Manifest, MemberName};
use crate::postgres::Address;
use gateway_access::secrets::{KeyFileText, Passphrase};
use gateway_domain::StoreError;
use gateway_storage::tables::Schema;
use gateway_storage::{Db, Engine, Executor};
use jiff::Timestamp;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Rows are added to these and never taken away.
const KEPT_FOR_EVER: [&str; 3] = ["event", "invoice_number", "issuer_number"];

/// What is backed up, and where to.
#[derive(Debug)]
pub struct BackupRequest<'r> {
    /// The file.
    pub file: &'r Path,
    /// The address of the database.
    pub url: &'r str,
    /// The version of the gateway.
    pub gateway_version: &'r str,
    /// The present instant.
    pub now: Timestamp,
    /// The master key file, and the passphrase that wraps it; none: the keys stay where they are.
    pub keys: Option<(&'r Path, &'r Passphrase)>,
}

/// What was backed up.
#[derive(Debug)]
pub struct BackedUp {
    /// What the file says of itself.
    pub manifest: Manifest,
    /// How long the file is.
    pub bytes: u64,
}

/// Writes the backup: the whole of it, or nothing.
pub async fn back_up(db: &Db, request: BackupRequest<'_>) -> Result<BackedUp, RecoveryError> {
    let schema_version = db.schema_version().await?.ok_or(RecoveryError::NothingThere)?;
    let file = std::path::absolute(request.file).map_err(RecoveryError::file(request.file, "written"))?;
    archive::ensure_new(&file)?;
    let draft = draft_folder(&file)?;
    let mut contents = Vec::new();
    if let Some((keys, passphrase)) = request.keys {
        let wrapped = draft.path().join(MemberName::MasterKeys.as_str());
        let keys = KeyFileText::read(keys)?.wrap(passphrase)?;
        let text = StoreError::json(&keys)?;
        std::fs::write(&wrapped, text).map_err(RecoveryError::file(&wrapped, "written"))?;
        contents.push((MemberName::MasterKeys, wrapped));
    }
    let engine = BackupEngine::from(db.engine());
    let database = draft.path().join(engine.member().as_str());
    let content = match db.engine() {
        Engine::Sqlite => copy_file(db, &database).await?,
        Engine::Postgres => dump(db, request.url, &database).await?,
    };
    contents.insert(0, (engine.member(), database));
    let manifest = Manifest {
        format: FORMAT,
        gateway_version: request.gateway_version.to_owned(),
        engine,
        schema_version,
        made_at: request.now,
        members: Vec::new(),
        content,
    };
    blocking(move || write(&file, &draft, manifest, &contents)).await
}

/// A folder for what is only needed on the way, on the same disk as the file; gone when it is dropped.
pub(crate) fn draft_folder(file: &Path) -> Result<TempDir, RecoveryError> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    let made = tempfile::Builder::new().prefix(".gateway-recovery-").tempdir_in(folder);
    made.map_err(RecoveryError::file(file, "written"))
}

fn write(
    file: &Path,
    draft: &TempDir,
    mut manifest: Manifest,
    contents: &[(MemberName, PathBuf)],
) -> Result<BackedUp, RecoveryError> {
    let contents = contents.iter().map(|(name, from)| archive::content(*name, from));
    let contents = contents.collect::<Result<Vec<_>, _>>()?;
    manifest.members = contents.iter().map(|content| content.member.clone()).collect();
    let bytes = archive::write(file, &draft.path().join("backup"), &manifest, &contents)?;
    Ok(BackedUp { manifest, bytes })
}

/// How many rows stand in the tables of which none goes away.
async fn kept_rows(db: &Db) -> Result<Vec<i64>, StoreError> {
    let schema = Schema::read(db).await?;
    let mut rows = Vec::new();
    for table in schema.tables.iter().filter(|table| KEPT_FOR_EVER.contains(&table.name.as_str())) {
        rows.push(table.count(db).await?);
    }
    Ok(rows)
}

/// Copies a SQLite file, and makes sure that the copy is sound.
async fn copy_file(db: &Db, to: &Path) -> Result<Content, RecoveryError> {
    let before = kept_rows(db).await?;
    db.copy_into(to).await?;
    let after = kept_rows(db).await?;
    let copy = Db::connect_file(to).await?;
    let checked = async {
        if let Some(damage) = copy.damage().await? {
            return Err(RecoveryError::UnsoundCopy(damage));
        }
        let copied = kept_rows(&copy).await?;
        // It was made between the two looks.
        let is_between = before.iter().zip(&copied).all(|(before, copied)| before <= copied)
            && copied.iter().zip(&after).all(|(copied, after)| copied <= after);
        if !is_between || copied.len() != KEPT_FOR_EVER.len() {
            return Err(RecoveryError::UnsoundCopy("it lacks rows".to_owned()));
        }
        Ok(content::read(&copy).await?)
    };
    let checked = checked.await;
    copy.close().await;
    checked
}

/// Has PostgreSQL's own program write the database as one transaction sees it, and says what that is.
async fn dump(db: &Db, url: &str, to: &Path) -> Result<Content, RecoveryError> {
    let address = Address::of(url)?;
    let mut tx = db.begin_snapshot().await?;
    let snapshot = tx.export_snapshot().await?.unwrap_or_default();
    address.dump(&snapshot, to).await?;
    let content = content::read(Executor::Tx(&mut tx)).await?;
    tx.rollback().await?;
    Ok(content)
}
