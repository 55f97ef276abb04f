//! Files on their way into archives whose bytes depend on nothing but their content: sorted, owned by root, of one time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

const PROGRAM_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o644;
/// RFC 1952: an unknown system, so that no archive tells where it was made.
const UNKNOWN_SYSTEM: u8 = 255;

/// Files and symbolic links by their paths, relative and with `/`.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    entries: BTreeMap<String, Entry>,
}

#[derive(Debug)]
enum Entry {
    File { content: Vec<u8>, mode: u32 },
    Link { target: String },
}

/// How an archive is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Format {
    /// The time of every file, in seconds since 1970.
    pub(crate) time: u64,
    pub(crate) compression: Compression,
}

impl Tree {
    pub(crate) fn add_file(&mut self, path: &str, content: impl Into<Vec<u8>>) {
        self.entries.insert(path.to_owned(), Entry::File { content: content.into(), mode: FILE_MODE });
    }

    pub(crate) fn add_program(&mut self, path: &str, content: impl Into<Vec<u8>>) {
        self.entries.insert(path.to_owned(), Entry::File { content: content.into(), mode: PROGRAM_MODE });
    }

    pub(crate) fn add_link(&mut self, path: &str, target: &str) {
        self.entries.insert(path.to_owned(), Entry::Link { target: target.to_owned() });
    }

    /// Every file below a folder, below `path`, but hidden ones; a script that may be run stays one.
    pub(crate) fn add_folder(&mut self, path: &str, folder: &Path) -> Result<()> {
        let listing = fs::read_dir(folder).with_context(|| format!("could not list {}", folder.display()))?;
        for entry in listing {
            let from = entry?.path();
            let name = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let path = format!("{path}/{name}");
            if name.starts_with('.') {
                continue;
            }
            if from.is_dir() {
                self.add_folder(&path, &from)?;
                continue;
            }
            let content = read(&from)?;
            if content.starts_with(b"#!") {
                self.add_program(&path, content);
            } else {
                self.add_file(&path, content);
            }
        }
        Ok(())
    }

    /// The files and their contents.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.entries.iter().filter_map(|(path, entry)| match entry {
            Entry::File { content, .. } => Some((path.as_str(), content.as_slice())),
            Entry::Link { .. } => None,
        })
    }

    /// A compressed archive with everything below `folder`, or at its top when that is empty.
    pub(crate) fn to_tar_gz(&self, folder: &str, format: Format) -> Result<Vec<u8>> {
        let mut builder = Builder::new(compressor(format));
        let paths: BTreeMap<String, &Entry> = self
            .entries
            .iter()
            .map(|(path, entry)| (format!("{folder}/{path}").trim_start_matches('/').to_owned(), entry))
            .collect();
        for parent in parents(paths.keys()) {
            let mut header = header(EntryType::Directory, PROGRAM_MODE, format);
            builder.append_data(&mut header, format!("{parent}/"), std::io::empty())?;
        }
        for (path, entry) in paths {
            match entry {
                Entry::File { content, mode } => {
                    let mut header = header(EntryType::Regular, *mode, format);
                    header.set_size(u64::try_from(content.len())?);
                    builder.append_data(&mut header, path, content.as_slice())?;
                }
                Entry::Link { target } => {
                    let mut header = header(EntryType::Symlink, 0o777, format);
                    builder.append_link(&mut header, path, target)?;
                }
            }
        }
        Ok(builder.into_inner()?.finish()?)
    }
}

/// Every folder above the paths, a folder before what is in it.
fn parents<'p>(paths: impl Iterator<Item = &'p String>) -> BTreeSet<&'p str> {
    paths.flat_map(|path| path.match_indices('/').filter_map(|(at, _)| path.get(..at))).collect()
}

fn header(kind: EntryType, mode: u32, format: Format) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(format.time);
    header.set_size(0);
    header
}

fn compressor(format: Format) -> flate2::write::GzEncoder<Vec<u8>> {
    GzBuilder::new().mtime(0).operating_system(UNKNOWN_SYSTEM).write(Vec::new(), format.compression)
}

/// One compressed file, without name and time.
pub(crate) fn gzip(content: &[u8], format: Format) -> Result<Vec<u8>> {
    let mut compressor = compressor(format);
    compressor.write_all(content)?;
    Ok(compressor.finish()?)
}

pub(crate) fn read(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("could not read {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;

    const FORMAT: Format = Format { time: 1_700_000_000, compression: Compression::fast() };

    fn tree(names: &[&str]) -> Tree {
        let mut tree = Tree::default();
        for name in names {
            tree.add_file(name, name.as_bytes());
        }
        tree.add_program("bin/gateway", "program");
        tree.add_link("usr/bin/gateway", "../../bin/gateway");
        tree
    }

    #[test]
    fn an_archive_depends_on_its_content_alone() {
        let one = tree(&["b", "a", "etc/gateway.toml"]).to_tar_gz("gateway-1", FORMAT).unwrap();
        let other = tree(&["etc/gateway.toml", "a", "b"]).to_tar_gz("gateway-1", FORMAT).unwrap();
        assert_eq!(one, other);
        assert_ne!(one, tree(&["a", "b"]).to_tar_gz("gateway-1", FORMAT).unwrap());
    }

    #[test]
    fn entries_are_sorted_owned_by_root_and_of_one_time() {
        let archive = tree(&["b", "a"]).to_tar_gz("", FORMAT).unwrap();
        let mut archive = tar::Archive::new(GzDecoder::new(archive.as_slice()));
        let mut found = Vec::new();
        for entry in archive.entries().unwrap() {
            let entry = entry.unwrap();
            let header = entry.header();
            assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0));
            assert_eq!(header.mtime().unwrap(), FORMAT.time);
            found.push((entry.path().unwrap().display().to_string(), header.mode().unwrap()));
        }
        let found: Vec<_> = found.iter().map(|(path, mode)| (path.as_str(), *mode)).collect();
        assert_eq!(
            found,
            [
                ("bin/", 0o755),
                ("usr/", 0o755),
                ("usr/bin/", 0o755),
                ("a", 0o644),
                ("b", 0o644),
                ("bin/gateway", 0o755),
                ("usr/bin/gateway", 0o777),
            ]
        );
    }

    #[test]
    fn a_folder_is_taken_with_everything_below_it() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("render")).unwrap();
        fs::write(folder.path().join("render/render-pdf.wasm"), "component").unwrap();
        fs::write(folder.path().join("first-invoice.sh"), "#!/bin/sh\n").unwrap();
        fs::write(folder.path().join(".gitkeep"), "").unwrap();
        let mut tree = Tree::default();
        tree.add_folder("share", folder.path()).unwrap();
        let paths: Vec<_> = tree.files().map(|(path, _)| path).collect();
        assert_eq!(paths, ["share/first-invoice.sh", "share/render/render-pdf.wasm"]);
        let is_program = |path: &str| matches!(tree.entries.get(path), Some(Entry::File { mode: 0o755, .. }));
        assert!(is_program("share/first-invoice.sh") && !is_program("share/render/render-pdf.wasm"));
    }
}
