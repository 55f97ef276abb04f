//! The file of a backup: a tar whose last member is the checksum of everything before it, so that no byte of it changes
//! unnoticed.

use crate::manifest::{AnyFormat, FORMAT, Manifest, Member, MemberName};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const MANIFEST: &str = "manifest.json";
const CHECKSUM: &str = "SHA256";
/// Only its owner reads a backup.
const MODE: u32 = 0o600;
/// A manifest and wrapped keys are small, whatever a file says.
const SMALL_BYTES_MAX: u64 = 64 << 20;
/// A file of this kind is made of blocks.
const BLOCK_BYTES: u64 = 512;
/// Of the checksum: its digits and the end of the line.
const CHECKSUM_BYTES: u64 = 65;
/// What stands behind the content of the last member: the rest of its block, and two empty ones.
const END_BYTES: u64 = 3 * BLOCK_BYTES - CHECKSUM_BYTES;
const COPY_BYTES: usize = 256 << 10;

/// Why a file is no backup that can be used.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// There is a file already.
    #[error("there is a file {0} already: name another one, or delete it")]
    Exists(String),
    /// The file cannot be read or written.
    #[error("the backup {path} cannot be {done}: look at its folder and its disk, and try again")]
    File {
        /// Which one.
        path: String,
        /// What was to be done.
        done: &'static str,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// It is something else.
    #[error("{0} is no backup of a gateway: name a file that 'gateway backup' made")]
    NotABackup(String),
    /// It was cut off or changed.
    #[error("the backup {0} is cut off or was changed (its checksum does not match): use another copy of it")]
    Damaged(String),
    /// A newer program made it.
    #[error(
        "the backup has format {found}, and this program reads {FORMAT}: use the version that made it, or a newer one"
    )]
    NewerFormat {
        /// Its format.
        found: u32,
    },
}

/// What goes into a file: the content of a member.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) member: Member,
    from: PathBuf,
}

/// A backup whose every byte is as it was written.
#[derive(Debug)]
pub(crate) struct Archive {
    pub(crate) manifest: Manifest,
    file: PackedFile,
}

/// A file with members.
#[derive(Debug)]
struct PackedFile {
    path: PathBuf,
    places: Vec<MemberPosition>,
}

/// Where the content of a member is.
#[derive(Debug)]
struct MemberPosition {
    name: String,
    start: u64,
    bytes: u64,
}

/// Counts into a checksum what is written.
struct Checked<W> {
    to: W,
    digest: Sha256,
}

impl<W: Write> Write for Checked<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.digest.update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

fn checksum(from: &mut impl Read) -> io::Result<(u64, String)> {
    let (mut digest, mut bytes, mut buffer) = (Sha256::new(), 0_u64, vec![0; COPY_BYTES]);
    loop {
        let read = from.read(&mut buffer)?;
        if read == 0 {
            return Ok((bytes, hex::encode(digest.finalize())));
        }
        bytes += read as u64;
        digest.update(buffer.get(..read).unwrap_or_default());
    }
}

/// A file as the content of a member.
pub(crate) fn content(name: MemberName, from: &Path) -> Result<Content, ArchiveError> {
    let (bytes, sha256) =
        File::open(from).and_then(|mut file| checksum(&mut file)).map_err(failed(from, "read"))?;
    Ok(Content { member: Member { name, bytes, sha256 }, from: from.to_owned() })
}

fn failed(path: &Path, done: &'static str) -> impl FnOnce(io::Error) -> ArchiveError {
    let path = path.display().to_string();
    move |cause| ArchiveError::File { path, done, cause }
}

/// Refuses a file that is there: an earlier backup is never lost.
pub(crate) fn ensure_new(path: &Path) -> Result<(), ArchiveError> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed(path, "written")(error)),
        Ok(_) => Err(ArchiveError::Exists(path.display().to_string())),
    }
}

/// Writes a backup in one step: at `path` is the whole of it, on the disk, or nothing. `draft` is in the same folder.
pub(crate) fn write(
    path: &Path,
    draft: &Path,
    manifest: &Manifest,
    contents: &[Content],
) -> Result<u64, ArchiveError> {
    let written = write_draft(draft, manifest, contents).map_err(failed(path, "written"))?;
    match renameat_with(CWD, draft, CWD, path, RenameFlags::NOREPLACE) {
        Ok(()) => {}
        Err(rustix::io::Errno::EXIST) => return Err(ArchiveError::Exists(path.display().to_string())),
        // Not every file system can promise it.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
            ensure_new(path)?;
            std::fs::rename(draft, path).map_err(failed(path, "written"))?;
        }
        Err(error) => return Err(failed(path, "written")(error.into())),
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed(path, "written"))?;
    Ok(written)
}

fn write_draft(draft: &Path, manifest: &Manifest, contents: &[Content]) -> io::Result<u64> {
    let to = OpenOptions::new().write(true).create_new(true).mode(MODE).open(draft)?;
    let mut tar = tar::Builder::new(Checked { to, digest: Sha256::new() });
    let header = |bytes: u64| {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes);
        header.set_mode(MODE);
        header.set_mtime(u64::try_from(manifest.made_at.as_second()).unwrap_or_default());
        header
    };
    let text = serde_json::to_vec_pretty(manifest)?;
    tar.append_data(&mut header(text.len() as u64), MANIFEST, text.as_slice())?;
    for Content { member, from } in contents {
        let file = File::open(from)?;
        tar.append_data(&mut header(member.bytes), member.name.as_str(), file.take(member.bytes))?;
    }
    let checksum = format!("{}\n", hex::encode(tar.get_ref().digest.clone().finalize()));
    tar.append_data(&mut header(CHECKSUM_BYTES), CHECKSUM, checksum.as_bytes())?;
    let file = tar.into_inner()?.to;
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

impl Archive {
    /// Opens a backup, and reads it to its end.
    pub(crate) fn open(path: &Path) -> Result<Self, ArchiveError> {
        let file = PackedFile::open(path)?;
        let foreign = || ArchiveError::NotABackup(path.display().to_string());
        if file.places.first().is_none_or(|first| first.name != MANIFEST) {
            return Err(foreign());
        }
        if !file.is_whole().map_err(failed(path, "read"))? {
            return Err(file.damaged());
        }
        let text = file.bytes(MANIFEST)?;
        let AnyFormat { format } = serde_json::from_slice(&text).map_err(|_| foreign())?;
        if format > FORMAT {
            return Err(ArchiveError::NewerFormat { found: format });
        }
        let manifest: Manifest = serde_json::from_slice(&text).map_err(|_| foreign())?;
        file.ensure_members(&manifest)?;
        Ok(Self { manifest, file })
    }

    /// What a member holds.
    pub(crate) fn member(&self, name: MemberName) -> Result<io::Take<File>, ArchiveError> {
        self.file.reader(name.as_str())
    }

    /// What a small member holds.
    pub(crate) fn small_member(&self, name: MemberName) -> Result<Vec<u8>, ArchiveError> {
        self.file.bytes(name.as_str())
    }

    /// Writes what a member holds into a file that is not there yet.
    pub(crate) fn extract(&self, name: MemberName, to: &Path) -> Result<(), ArchiveError> {
        let mut from = self.member(name)?;
        let written = OpenOptions::new().write(true).create_new(true).mode(MODE).open(to);
        let written = written.and_then(|mut file| {
            io::copy(&mut from, &mut file)?;
            file.sync_all()
        });
        written.map_err(failed(to, "written"))
    }
}

impl PackedFile {
    fn open(path: &Path) -> Result<Self, ArchiveError> {
        let file = File::open(path).map_err(failed(path, "read"))?;
        let mut tar = tar::Archive::new(&file);
        let mut places = Vec::new();
        for entry in tar.entries_with_seek().map_err(failed(path, "read"))? {
            // Where no header can be read, the file is damaged, which the checksum tells, or no backup at all.
            let Ok(entry) = entry else { break };
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            places.push(MemberPosition { name, start: entry.raw_file_position(), bytes: entry.size() });
        }
        Ok(Self { path: path.to_owned(), places })
    }

    fn damaged(&self) -> ArchiveError {
        ArchiveError::Damaged(self.path.display().to_string())
    }

    /// Every member that the manifest names is there, as it says, and no other is.
    fn ensure_members(&self, manifest: &Manifest) -> Result<(), ArchiveError> {
        if self.places.len() != manifest.members.len() + 2 {
            return Err(self.damaged());
        }
        for member in &manifest.members {
            let mut content = self.reader(member.name.as_str())?;
            let found = checksum(&mut content).map_err(failed(&self.path, "read"))?;
            if found != (member.bytes, member.sha256.clone()) {
                return Err(self.damaged());
            }
        }
        Ok(())
    }

    fn reader(&self, name: &str) -> Result<io::Take<File>, ArchiveError> {
        let place = self.places.iter().find(|place| place.name == name).ok_or_else(|| self.damaged())?;
        let opened = File::open(&self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(place.start))?;
            Ok(file.take(place.bytes))
        });
        opened.map_err(failed(&self.path, "read"))
    }

    fn bytes(&self, name: &str) -> Result<Vec<u8>, ArchiveError> {
        let mut bytes = Vec::new();
        let read = self.reader(name)?.take(SMALL_BYTES_MAX).read_to_end(&mut bytes);
        read.map_err(failed(&self.path, "read"))?;
        Ok(bytes)
    }

    /// Whether the last member is the checksum of everything before it, and nothing stands behind it.
    fn is_whole(&self) -> io::Result<bool> {
        let Some(last) = self.places.last() else { return Ok(false) };
        let mut file = File::open(&self.path)?;
        let end = last.start + CHECKSUM_BYTES + END_BYTES;
        if last.name != CHECKSUM || last.bytes != CHECKSUM_BYTES || file.metadata()?.len() != end {
            return Ok(false);
        }
        // The header of the checksum is checked by its own sum.
        let (_, found) = checksum(&mut (&mut file).take(last.start.saturating_sub(BLOCK_BYTES)))?;
        let mut rest = Vec::new();
        file.seek(SeekFrom::Start(last.start))?;
        file.take(CHECKSUM_BYTES + END_BYTES).read_to_end(&mut rest)?;
        let (said, rest) = rest.split_at_checked(found.len()).unwrap_or_default();
        let is_ended = rest
            .split_first()
            .is_some_and(|(line, rest)| *line == b'\n' && rest.iter().all(|byte| *byte == 0));
        Ok(said == found.as_bytes() && is_ended)
    }
}
