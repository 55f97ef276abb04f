//! The Debian package: an `ar` archive of two compressed `tar` archives, written like all our archives.
//!
//! Neither cargo-deb (another 70 crates to compile) nor dpkg-deb (a system that has it) is needed for that, and neither gives
//! the same bytes on every machine.

use std::fmt::Write as _;

use anyhow::{Result, bail};

use super::archive::{Format, Tree};
use super::layout;

/// What dpkg runs when a package comes, is replaced and goes.
const SCRIPTS: [&str; 3] = ["postinst", "postrm", "prerm"];
/// What an administrator edits; dpkg asks before it replaces one.
const CONFFILES: &str = "/etc/gateway/gateway.toml\n";
/// How versions of the C library are named in a program.
const GLIBC: &str = "GLIBC_2.";

/// The name of the package file and its bytes.
pub(super) fn package(
    version: &str,
    target: &str,
    files: &Tree,
    format: Format,
) -> Result<(String, Vec<u8>)> {
    let architecture = architecture(target)?;
    // A tilde sorts before everything: a release candidate comes before the release.
    let version = format!("{}-1", version.replace('-', "~"));
    let bytes: usize = files.files().map(|(_, content)| content.len()).sum();
    let glibc = files.files().filter_map(|(_, content)| glibc(content)).max();
    let mut control = Tree::default();
    control.add_file("control", fields(&version, architecture, bytes, glibc));
    control.add_file("conffiles", CONFFILES);
    for name in SCRIPTS {
        control.add_program(name, layout::packaging(&format!("debian/{name}"))?);
    }
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", control.to_tar_gz("", format)?),
        ("data.tar.gz", files.to_tar_gz("", format)?),
    ];
    Ok((format!("gateway_{version}_{architecture}.deb"), ar(&members, format.time)))
}

fn architecture(target: &str) -> Result<&'static str> {
    Ok(match target.split('-').next().unwrap_or_default() {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => bail!("nothing says what Debian calls {other}: add it to debian.rs"),
    })
}

fn fields(version: &str, architecture: &str, bytes: usize, glibc: Option<u32>) -> String {
    let mut depends = "ca-certificates, passwd".to_owned();
    if let Some(minor) = glibc {
        // Writing to a string does not fail.
        let _ = write!(depends, ", libc6 (>= 2.{minor}), libgcc-s1");
    }
    format!(
        "Package: gateway\n\
         Version: {version}\n\
         Architecture: {architecture}\n\
         Maintainer: The maintainers of the e-invoicing gateway <maintainers@gateway.invalid>\n\
         Installed-Size: {}\n\
         Depends: {depends}\n\
         Suggests: curl, postgresql\n\
         Section: net\n\
         Priority: optional\n\
         Description: e-invoicing gateway\n \
         Takes invoices to the tax authority through an e-invoicing provider, with gapless\n \
         numbers and tax systems as sandboxed plugins. Runs on SQLite and on PostgreSQL.\n",
        bytes.div_ceil(1024)
    )
}

/// The newest minor version of the GNU C library that a program names; none: it is no program, or of another library.
fn glibc(program: &[u8]) -> Option<u32> {
    if !program.starts_with(b"\x7fELF") {
        return None;
    }
    let text = String::from_utf8_lossy(program);
    let named = text.split(GLIBC).skip(1).filter_map(|rest| {
        let end = rest.find(|letter: char| !letter.is_ascii_digit())?;
        rest.get(..end)?.parse().ok()
    });
    named.max()
}

/// The archive of `ar`: a header of fixed width before each member, and members at even places.
fn ar(members: &[(&str, Vec<u8>)], time: u64) -> Vec<u8> {
    let mut archive = b"!<arch>\n".to_vec();
    for (name, content) in members {
        let header = format!("{name:<16}{time:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, "100644", content.len());
        archive.extend(header.into_bytes());
        archive.extend(content);
        if content.len() % 2 == 1 {
            archive.push(b'\n');
        }
    }
    archive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_headers_of_sixty_bytes_and_begin_at_even_places() {
        let archive =
            ar(&[("debian-binary", b"2.0".to_vec()), ("data.tar.gz", b"x".to_vec())], 1_700_000_000);
        assert_eq!(archive.len(), 8 + 60 + 4 + 60 + 2);
        assert_eq!(&archive[8..24], b"debian-binary   ");
        assert_eq!(&archive[66..72], b"`\n2.0\n");
    }

    #[test]
    fn the_newest_version_of_the_c_library_counts() {
        assert_eq!(glibc(b"\x7fELF\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.17\0"), Some(34));
        assert_eq!(glibc(b"a text about GLIBC_2.34"), None);
        assert!(fields("0.1.0-1", "amd64", 2049, Some(34)).contains("libc6 (>= 2.34), libgcc-s1\n"));
        assert!(fields("0.1.0-1", "amd64", 2049, None).contains("Installed-Size: 3\n"));
    }
}
