//! Names the plugins of this tree, for `gateway plugin new`: an author whose key is taken hears of it.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    // As Cargo says when it runs: where several checkouts share a target folder, it was compiled in any of them.
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    // A new plugin is in the lock file.
    println!("cargo::rerun-if-changed={}", root.join("Cargo.lock").display());
    let folders = fs::read_dir(root.join("plugins")).into_iter().flatten();
    let mut keys: Vec<String> =
        folders.filter_map(|folder| key(&folder.ok()?.path().join("Cargo.toml"))).collect();
    keys.sort();
    println!("cargo::rustc-env=SHIPPED_KEYS={}", keys.join(","));
}

/// The key of a manifest, if it is one of a component: `key = "…"` below `component = true`.
fn key(manifest: &Path) -> Option<String> {
    let text = fs::read_to_string(manifest).ok()?;
    let (_, component) = text.split_once("component = true")?;
    let value = component.lines().find_map(|line| line.strip_prefix("key = "))?;
    Some(value.trim_matches('"').to_owned())
}
