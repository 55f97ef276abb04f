//! `gateway plugin build`: the plugin's crate as a component.

use crate::inspect;
use crate::progress;
use gateway_domain_input::unreadable;
use gateway_plugin_host::PublicKey;
use gateway_terminal::{Failure, Out};
use serde_json::Value;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";
/// What a cargo around us hands down and a build for another target must not see.
const OUTER_CARGO_VARIABLES: [&str; 5] =
    ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS", "CARGO_CFG_", "CARGO_FEATURE_", "CARGO_TARGET_WASM32_"];
/// Magic number and layer of a component; a core module has another layer.
const COMPONENT: [u8; 8] = *b"\0asm\x0d\0\x01\0";

/// Builds the plugin of the `manifest`, by default that of the folder we are in, into a component beside it, and prints what
/// it is. A signature is judged by the `trusted` keys.
///
/// # Errors
/// There is no package, or it does not compile to a component.
pub async fn run(manifest: Option<&Path>, trusted: &[PublicKey], out: Out) -> Result<(), Failure> {
    let file = Crate::find(manifest)?.build(None).await?;
    inspect::run(&file, trusted, out).await
}

/// A folder with the manifest of a plugin, which need not be built yet.
#[derive(Debug)]
pub(crate) struct Crate {
    folder: PathBuf,
}

impl Crate {
    /// The package of this manifest, or of the folder we are in.
    pub(crate) fn find(manifest: Option<&Path>) -> Result<Self, Failure> {
        let manifest = manifest.unwrap_or_else(|| Path::new("Cargo.toml"));
        if !manifest.is_file() {
            return Err(Failure::refused(format!(
                "there is no {}: go to the plugin's folder, name it with --manifest-path, or make one with \
                 'gateway plugin new'; a plugin in Python or JavaScript is built by its build.sh",
                manifest.display()
            )));
        }
        let manifest = std::path::absolute(manifest)?;
        let folder = manifest.parent().map(Path::to_owned).unwrap_or_default();
        Ok(Self { folder })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The version its manifest states.
    pub(crate) fn version(&self) -> String {
        let manifest = std::fs::read_to_string(self.folder.join("Cargo.toml")).unwrap_or_default();
        let stated = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
        stated.unwrap_or("0.0.0").to_owned()
    }

    /// Builds the component and puts it beside the manifest. A trial build states `version` instead of the package's own
    /// and stays in the target folder. Returns the file.
    pub(crate) async fn build(&self, version: Option<&str>) -> Result<PathBuf, Failure> {
        self.ensure_target().await?;
        let artifact =
            progress::report_progress("Building the plugin", "Built it", self.compile(version)).await?;
        let bytes = tokio::fs::read(&artifact).await?;
        if !bytes.starts_with(&COMPONENT) {
            return Err(Failure::refused(format!(
                "{} is a core module, not a component: set the linker of {TARGET} to wasm-component-ld in \
                 .cargo/config.toml",
                artifact.display()
            )));
        }
        let stem = artifact.file_stem().unwrap_or_default().to_string_lossy().replace('_', "-");
        let file = match version {
            // What lies beside the manifest is signed and installed: a trial build never does.
            Some(_) => artifact.with_file_name(format!("{stem}.wasm")),
            None => self.folder.join(format!("{stem}.wasm")),
        };
        replace(&file, &bytes)?;
        Ok(file)
    }

    /// Runs cargo, whose errors go to the terminal, and returns the component it made.
    async fn compile(&self, version: Option<&str>) -> Result<PathBuf, Failure> {
        let mut cargo = self.tool("cargo");
        cargo
            .args(["build", "--lib", "--release", "--target", TARGET])
            .arg("--message-format=json-render-diagnostics")
            .stdout(Stdio::piped());
        match version {
            Some(version) => cargo.env("EINVOICE_PLUGIN_VERSION", version),
            None => cargo.env_remove("EINVOICE_PLUGIN_VERSION"),
        };
        let running = cargo.spawn().map_err(|error| {
            Failure::refused(format!(
                "cargo does not start ({}): install Rust with rustup",
                unreadable(&error)
            ))
        })?;
        let output = running.wait_with_output().await?;
        if !output.status.success() {
            return Err(Failure::refused("the plugin does not compile: correct the errors above"));
        }
        let manifest = self.folder.join("Cargo.toml");
        component(&output.stdout, &manifest).ok_or_else(|| {
            let advice = "add cdylib to crate-type in the [lib] section of Cargo.toml";
            Failure::refused(format!("the package gives no .wasm: {advice}"))
        })
    }

    /// Installs the target when the toolchain of the plugin lacks it.
    async fn ensure_target(&self) -> Result<(), Failure> {
        let output = self.tool("rustc").args(["--print", "sysroot"]).output().await;
        let Ok(output) = output else {
            return Err(Failure::refused("rustc does not start: install Rust with rustup"));
        };
        let sysroot = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        if output.status.success() && sysroot.join("lib/rustlib").join(TARGET).is_dir() {
            return Ok(());
        }
        // Reads rust-toolchain.toml: the toolchain itself may be missing too.
        let install = self.tool("rustup").args(["toolchain", "install"]).status().await;
        let add = self.tool("rustup").args(["target", "add", TARGET]).status().await;
        match add {
            Ok(status) if status.success() => Ok(()),
            _ => Err(Failure::refused(format!(
                "the toolchain has no target {TARGET} and rustup did not add it ({}): run 'rustup target add {TARGET}' \
                 in the plugin's folder",
                install.map_or_else(|error| error.to_string(), |status| status.to_string())
            ))),
        }
    }

    /// A program of the toolchain, where the plugin's own settings hold and nobody else's.
    fn tool(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).kill_on_drop(true);
        for (variable, _) in env::vars_os() {
            if is_of_outer_cargo(&variable) {
                command.env_remove(variable);
            }
        }
        command
    }
}

fn is_of_outer_cargo(variable: &OsStr) -> bool {
    let variable = variable.to_string_lossy();
    OUTER_CARGO_VARIABLES.iter().any(|prefix| variable.starts_with(prefix))
}

/// The component of the package with this manifest, from cargo's messages.
fn component(messages: &[u8], manifest: &Path) -> Option<PathBuf> {
    let messages = String::from_utf8_lossy(messages);
    // Lines that are no message are what a build script printed.
    let read = |line: &str| serde_json::from_str::<Value>(line).ok();
    let own = messages.lines().filter_map(read).filter(|message| {
        let stated = message.get("manifest_path").and_then(Value::as_str).map(Path::new);
        message.get("reason").and_then(Value::as_str) == Some("compiler-artifact")
            && stated.is_some_and(|stated| same_file(stated, manifest))
    });
    let files = own.filter_map(|message| message.get("filenames")?.as_array().cloned()).flatten();
    let mut files = files.filter_map(|file| file.as_str().map(PathBuf::from));
    files.find(|file| file.extension().is_some_and(|extension| extension == "wasm"))
}

fn same_file(a: &Path, b: &Path) -> bool {
    a == b || a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// Writes beside and renames, so that nobody ever reads half a plugin.
pub(crate) fn replace(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let not_written = |error: std::io::Error| {
        Failure::refused(format!("{} cannot be written ({})", file.display(), unreadable(&error)))
    };
    let temporary = file.with_extension("wasm.new");
    std::fs::write(&temporary, bytes).map_err(not_written)?;
    std::fs::rename(&temporary, file).map_err(not_written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nested_cargo_hears_nothing_of_the_outer_one() {
        for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_FEATURE_X", "CARGO_CFG_UNIX"] {
            assert!(is_of_outer_cargo(OsStr::new(variable)), "{variable}");
        }
        for variable in ["PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME", "CARGO_NET_OFFLINE"] {
            assert!(!is_of_outer_cargo(OsStr::new(variable)), "{variable}");
        }
    }

    #[test]
    fn the_component_is_the_wasm_of_the_plugins_own_package() {
        let messages = [
            r#"{"reason":"compiler-artifact","manifest_path":"/p/vendor/Cargo.toml","filenames":["/t/other.wasm"]}"#,
            "a line of a build script",
            r#"{"reason":"compiler-artifact","manifest_path":"/p/Cargo.toml","filenames":["/t/x.rlib","/t/x.wasm"]}"#,
        ];
        let found = component(messages.join("\n").as_bytes(), Path::new("/p/Cargo.toml"));
        assert_eq!(found, Some(PathBuf::from("/t/x.wasm")));
        assert_eq!(component(b"", Path::new("/p/Cargo.toml")), None);
    }

    #[test]
    fn a_folder_without_a_package_says_what_to_do() {
        let failure = Crate::find(Some(Path::new("/nowhere/Cargo.toml"))).unwrap_err();
        assert!(failure.to_string().contains("gateway plugin new"), "{failure}");
    }
}
