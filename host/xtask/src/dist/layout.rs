//! Where each file lies: in the archive, which runs from wherever it is unpacked, and in a Debian system.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::archive::{self, Format, Tree};
use super::build::{self, Program};
use crate::plugins::Built;
use crate::workspace;

/// What is shipped and belongs to no crate.
const PACKAGING: &str = "host/gateway/packaging";
/// Dashboard and alerts; whatever lies there goes along.
const OPS: &str = "host/gateway/ops";
/// The shells that have a common folder for completions, and where that is below `share`.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/gateway"),
    ("zsh", "zsh/site-functions/_gateway"),
    ("fish", "fish/vendor_completions.d/gateway.fish"),
];

/// Everything that is shipped for one target.
pub(super) struct Contents {
    pub(super) program: Vec<u8>,
    /// With a signature beside each, when there is a key.
    pub(super) plugins: Tree,
    pub(super) man: Tree,
    completions: Vec<(&'static str, String)>,
    ops: Tree,
    licence: Vec<u8>,
    changelog: Vec<u8>,
    pub(super) third_party: String,
    pub(super) bom: String,
}

impl Contents {
    pub(super) fn gather(
        program: Program,
        plugins: Tree,
        texts: [String; 2],
        scratch: &Path,
    ) -> Result<Self> {
        let man = scratch.join("man");
        if man.exists() {
            std::fs::remove_dir_all(&man).with_context(|| format!("could not remove {}", man.display()))?;
        }
        gateway(&program.file, scratch, &["man", "man"])?;
        let mut pages = Tree::default();
        pages.add_folder("man1", &man)?;
        let completions = COMPLETIONS
            .iter()
            .map(|(shell, path)| Ok((*path, gateway(&program.file, scratch, &["completions", shell])?)));
        let completions = completions.collect::<Result<_>>()?;
        let root = workspace::root();
        let mut ops = Tree::default();
        let folder = root.join(OPS);
        if folder.is_dir() {
            ops.add_folder("gateway", &folder)?;
        }
        let [third_party, bom] = texts;
        Ok(Self {
            program: program.stripped,
            plugins,
            man: pages,
            completions,
            ops,
            licence: archive::read(&root.join("LICENSE"))?,
            changelog: archive::read(&root.join("CHANGELOG.md"))?,
            third_party,
            bom,
        })
    }

    /// The archive: the program finds its plugins beside its own folder.
    pub(super) fn archive(&self) -> Result<Tree> {
        let mut tree = Tree::default();
        tree.add_program("bin/gateway", self.program.as_slice());
        add_below(&mut tree, "", &self.plugins);
        add_below(&mut tree, "share/man/", &self.man);
        for (path, script) in &self.completions {
            tree.add_file(&format!("share/{path}"), script.as_str());
        }
        add_below(&mut tree, "share/", &self.ops);
        tree.add_program("share/gateway/first-invoice.sh", packaging("first-invoice.sh")?);
        tree.add_file("etc/gateway/gateway.toml", packaging("gateway.toml")?);
        tree.add_file("lib/systemd/system/gateway.service", packaging("gateway.service")?);
        tree.add_file("lib/sysusers.d/gateway.conf", packaging("gateway.sysusers")?);
        tree.add_file("LICENSE", self.licence.as_slice());
        tree.add_file("CHANGELOG.md", self.changelog.as_slice());
        tree.add_file("THIRD-PARTY", self.third_party.as_str());
        tree.add_file("gateway.cdx.json", self.bom.as_str());
        let sums = super::checksums(tree.files());
        tree.add_file("SHA256SUMS", sums);
        Ok(tree)
    }

    /// A Debian system. The program lies beside its plugins, so that it finds them from every path that leads to it.
    pub(super) fn debian(&self, format: Format) -> Result<Tree> {
        let mut tree = Tree::default();
        tree.add_program("usr/lib/gateway/bin/gateway", self.program.as_slice());
        tree.add_link("usr/bin/gateway", "../lib/gateway/bin/gateway");
        add_below(&mut tree, "usr/lib/gateway/", &self.plugins);
        tree.add_program("usr/sbin/gatewayctl", packaging("gatewayctl")?);
        for (path, page) in self.man.files() {
            tree.add_file(&format!("usr/share/man/{path}.gz"), archive::gzip(page, format)?);
        }
        for (path, script) in &self.completions {
            let path = path.replace("site-functions", "vendor-completions");
            tree.add_file(&format!("usr/share/{path}"), script.as_str());
        }
        add_below(&mut tree, "usr/share/", &self.ops);
        tree.add_program("usr/share/gateway/first-invoice.sh", packaging("first-invoice.sh")?);
        tree.add_file("etc/gateway/gateway.toml", packaging("gateway.toml")?);
        tree.add_file("usr/lib/systemd/system/gateway.service", packaging("gateway.service")?);
        tree.add_file("usr/lib/sysusers.d/gateway.conf", packaging("gateway.sysusers")?);
        let documents = "usr/share/doc/gateway";
        tree.add_file(&format!("{documents}/copyright"), self.licence.as_slice());
        tree.add_file(&format!("{documents}/changelog.gz"), archive::gzip(&self.changelog, format)?);
        let third_party = archive::gzip(self.third_party.as_bytes(), format)?;
        tree.add_file(&format!("{documents}/THIRD-PARTY.gz"), third_party);
        tree.add_file(&format!("{documents}/gateway.cdx.json"), self.bom.as_str());
        Ok(tree)
    }
}

fn add_below(tree: &mut Tree, prefix: &str, other: &Tree) {
    for (path, content) in other.files() {
        tree.add_file(&format!("{prefix}{path}"), content);
    }
}

/// A file of the folder of packaging.
pub(super) fn packaging(name: &str) -> Result<Vec<u8>> {
    archive::read(&workspace::root().join(PACKAGING).join(name))
}

/// The components as they were built, signed when there is a key.
pub(super) fn plugins(built: &[Built], folder: &Path, key: Option<&Path>, program: &Program) -> Result<Tree> {
    let mut tree = Tree::default();
    let scratch = program.file.with_file_name("signed");
    for Built { file, .. } in built {
        let component = archive::read(&folder.join(file))?;
        if let Some(key) = key {
            let copy = scratch.join(file);
            let parent = copy.parent().context("a component lies in no folder")?;
            std::fs::create_dir_all(parent)
                .with_context(|| format!("could not create {}", parent.display()))?;
            std::fs::write(&copy, &component)
                .with_context(|| format!("could not write {}", copy.display()))?;
            let (copy, key) = (copy.display().to_string(), key.display().to_string());
            gateway(&program.file, &scratch, &["plugin", "sign", &copy, "--key", &key])?;
            let signature = archive::read(&scratch.join(format!("{file}.sig")))?;
            tree.add_file(&format!("plugins/{file}.sig"), signature);
        }
        tree.add_file(&format!("plugins/{file}"), component);
    }
    Ok(tree)
}

/// What a command of the gateway prints, with nothing of our own configuration.
fn gateway(program: &Path, folder: &Path, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(program);
    workspace::remove_variables(&mut command, &["GATEWAY_"]);
    build::stdout(command.current_dir(folder).args(arguments))
}
