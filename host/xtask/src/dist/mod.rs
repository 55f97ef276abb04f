//! `cargo xtask dist`: what is shipped. Two builds of the same sources give the same files.
//!
//! [`build`] compiles, [`layout`] says where each file lies, [`archive`] writes archives, [`debian`] the package of that
//! system; [`crates`], [`licences`] and [`sbom`] tell what all of it is made of.

mod archive;
mod build;
pub(crate) mod compiler;
mod crates;
mod debian;
mod layout;
mod licences;
mod sbom;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use cargo_metadata::Metadata;
use flate2::Compression;
use sha2::{Digest as _, Sha256};

use self::archive::{Format, Tree};
use self::crates::Build;
use self::layout::Contents;
use crate::plugins::{self, Built};
use crate::{Outcome, workspace};

/// The profile that the gateway is shipped with, linked as a whole.
const SHIPPED: &str = "dist";
/// What components are built for.
const COMPONENTS: &str = "wasm32-unknown-unknown";

/// A program and components as they were built, to be shipped.
#[derive(Debug)]
pub(crate) struct Sources {
    pub(crate) program: PathBuf,
    pub(crate) plugins: PathBuf,
    /// Signs the components.
    pub(crate) key: Option<PathBuf>,
    pub(crate) compression: Compression,
    /// Where files are put meanwhile.
    pub(crate) scratch: PathBuf,
}

/// A file that is shipped.
#[derive(Debug)]
pub(crate) struct Artefact {
    pub(crate) name: String,
    pub(crate) content: Vec<u8>,
}

pub(crate) fn run(arguments: &[String]) -> Result<Outcome> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Some(Request { profile, out, key }) = Request::parse(&arguments) else { return Ok(Outcome::Misuse) };
    let target = workspace::members()?.target_directory.into_std_path_buf();
    plugins::build("plugin")?;
    let program = build::compile(profile, build::time()?)?;
    let sources = Sources {
        program,
        plugins: target.join("plugins"),
        // Commands run in folders of their own.
        key: key
            .map(|key| fs::canonicalize(key).with_context(|| format!("could not find {key}")))
            .transpose()?,
        compression: Compression::best(),
        scratch: target.join("dist-build/files"),
    };
    let out = out.map_or_else(|| target.join("release-files"), PathBuf::from);
    write(&assemble(&sources)?, &out)?;
    Ok(Outcome::Done)
}

/// What is asked for on the command line.
#[derive(Debug, PartialEq, Eq)]
struct Request<'a> {
    profile: &'a str,
    out: Option<&'a str>,
    key: Option<&'a str>,
}

impl<'a> Request<'a> {
    fn parse(arguments: &[&'a str]) -> Option<Self> {
        let mut request = Self { profile: SHIPPED, out: None, key: None };
        let mut rest = arguments;
        while let [option, value, others @ ..] = rest {
            match *option {
                "--profile" => request.profile = value,
                "--out" => request.out = Some(value),
                "--sign" => request.key = Some(value),
                _ => return None,
            }
            rest = others;
        }
        rest.is_empty().then_some(request)
    }
}

/// Everything that is shipped, in the order of its names, with the checksums at the end.
pub(crate) fn assemble(sources: &Sources) -> Result<Vec<Artefact>> {
    let (target, time) = (crates::host()?, build::time()?);
    ensure!(
        target.contains("-linux-"),
        "what is shipped is made on Linux: build the image of packaging/docker"
    );
    let format = Format { time, compression: sources.compression };
    let graph = workspace::graph()?;
    let built = plugins::built(&graph);
    let texts = describe(&graph, &built, &target, time)?;
    let package = package(&graph)?;
    let version = package.version.to_string();
    let program = build::strip(&sources.program, &sources.scratch)?;
    let components = layout::plugins(&built, &sources.plugins, sources.key.as_deref(), &program)?;
    let mut symbols = Tree::default();
    symbols.add_file("gateway.debug", program.symbols.as_slice());
    let contents = Contents::gather(program, components, texts, &sources.scratch)?;
    let name = format!("gateway-{version}-{target}");
    let (deb, deb_content) = debian::package(&version, &target, &contents.debian(format)?, format)?;
    let mut chart = Tree::default();
    let chart_folder = workspace::root().join("host/gateway/packaging/helm/gateway");
    if chart_folder.is_dir() {
        chart.add_folder("gateway", &chart_folder)?;
    }
    let mut artefacts = vec![
        Artefact { name: deb, content: deb_content },
        Artefact { name: format!("{name}.tar.gz"), content: contents.archive()?.to_tar_gz(&name, format)? },
        Artefact {
            name: format!("{name}-symbols.tar.gz"),
            content: symbols.to_tar_gz(&format!("{name}-symbols"), format)?,
        },
        Artefact { name: format!("gateway-chart-{version}.tgz"), content: chart.to_tar_gz("", format)? },
        Artefact { name: format!("gateway-{version}.cdx.json"), content: contents.bom.into_bytes() },
    ];
    artefacts.sort_by(|one, other| one.name.cmp(&other.name));
    let files = artefacts.iter().map(|artefact| (artefact.name.as_str(), artefact.content.as_slice()));
    let sums = checksums(files).into_bytes();
    artefacts.push(Artefact { name: "SHA256SUMS".to_owned(), content: sums });
    println!("gateway {version} for {target}: the program alone has {}", size(contents.program.len()));
    Ok(artefacts)
}

/// The licences and the bill of materials.
fn describe(graph: &Metadata, built: &[Built], target: &str, time: u64) -> Result<[String; 2]> {
    let lock =
        fs::read_to_string(workspace::root().join("Cargo.lock")).context("could not read Cargo.lock")?;
    let builds = [
        Build { packages: vec!["gateway".to_owned()], target: target.to_owned() },
        Build {
            packages: built.iter().map(|component| component.package.clone()).collect(),
            target: COMPONENTS.to_owned(),
        },
    ];
    let crates = crates::of(graph, &lock, &builds)?;
    let (time, compiler) = (build::written_time(time)?, crates::compiler()?);
    let product = sbom::Product { package: package(graph)?, time: &time, compiler: &compiler };
    Ok([licences::third_party(&crates, &compiler)?, sbom::bom(&product, &crates)?])
}

fn package(graph: &Metadata) -> Result<&cargo_metadata::Package> {
    let members = graph.workspace_packages();
    let found = members.into_iter().find(|package| package.name == "gateway");
    found.context("the workspace has no crate gateway")
}

/// Writes the files into a folder that has no others of ours, and says how large they are.
pub(crate) fn write(artefacts: &[Artefact], out: &Path) -> Result<()> {
    fs::create_dir_all(out).with_context(|| format!("could not create {}", out.display()))?;
    for Artefact { name, content } in artefacts {
        let file = out.join(name);
        fs::write(&file, content).with_context(|| format!("could not write {}", file.display()))?;
        println!("{:>10}  {}", size(content.len()), file.display());
    }
    Ok(())
}

fn size(bytes: usize) -> String {
    format!("{}.{} MiB", bytes >> 20, ((bytes & 0xf_ffff) * 10) >> 20)
}

/// As `sha256sum --check` reads them.
fn checksums<'f>(files: impl Iterator<Item = (&'f str, &'f [u8])>) -> String {
    let mut sums = String::new();
    for (name, content) in files {
        for byte in Sha256::digest(content) {
            // Writing to a string does not fail.
            let _ = write!(sums, "{byte:02x}");
        }
        let _ = writeln!(sums, "  {name}");
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_in_any_order_each_with_its_value() {
        let request = Request { profile: "release", out: Some("files"), key: Some("key") };
        let arguments = ["--sign", "key", "--profile", "release", "--out", "files"];
        assert_eq!(Request::parse(&arguments), Some(request));
        assert_eq!(Request::parse(&[]), Some(Request { profile: SHIPPED, out: None, key: None }));
        for misuse in [&["--out"][..], &["files"], &["--quick", "yes"], &["--out", "files", "--sign"]] {
            assert_eq!(Request::parse(misuse), None, "{misuse:?}");
        }
    }

    #[test]
    fn checksums_are_as_sha256sum_writes_them() {
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(checksums([("abc", b"abc".as_slice())].into_iter()), format!("{sum}  abc\n"));
        assert_eq!(size(10 * 1024 * 1024 + 512 * 1024), "10.5 MiB");
    }
}
