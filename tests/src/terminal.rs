//! A terminal of its own for one test: bash in a scratch folder, with `gateway` on its path and addresses of its own.

use crate::binary;
use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Longest a session may take.
const SESSION: Duration = Duration::from_mins(4);
/// Ports are taken from here on: below those that systems give to whoever asks for any (Linux: from 32768 on), so that
/// nobody gets one between the look and the start of a gateway.
const FIRST_PORT: u16 = 20_000;
/// How many groups of ports there are.
const GROUPS: u32 = 2_000;
/// Ports of a group.
const GROUP: u16 = 4;

/// What curl is told without being asked: an answer of 400 or more fails, and its body is shown.
const CURL: &str = "fail-with-body\nshow-error\nmax-time = 20\n";

/// What became of a session.
#[derive(Debug)]
pub struct Session {
    /// Whether bash ended well.
    pub succeeded: bool,
    /// Everything that was written, in order.
    pub output: String,
}

/// The terminal; what was started in it ends with it.
#[derive(Debug)]
pub struct Terminal {
    ports: [u16; GROUP as usize],
    folder: TempDir,
}

impl Terminal {
    /// An empty folder, and free addresses.
    ///
    /// # Panics
    /// When there is no room for it.
    pub fn open() -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let terminal = Self { ports: free_ports(), folder };
        for name in ["bin", "work"] {
            fs::create_dir(terminal.path(name)).expect("the folder is fresh");
        }
        let gateway = terminal.path("bin").join("gateway");
        std::os::unix::fs::symlink(binary::gateway(), gateway).expect("the folder is fresh");
        fs::write(terminal.path(".curlrc"), CURL).expect("there is room for a file");
        terminal
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The port of the public listener, of the internal one and of the stand-in, and one that is nobody's.
    pub const fn ports(&self) -> [u16; 4] {
        self.ports
    }

    /// Keeps a part of a session, to be sourced: in a folder, under a name by which bash tells of it.
    ///
    /// # Panics
    /// When there is no room for it.
    pub fn write(&self, folder: &str, name: &str, text: &str) -> PathBuf {
        let folder = self.path(folder);
        fs::create_dir_all(&folder).expect("there is room for a folder");
        let path = folder.join(name);
        fs::write(&path, text).expect("there is room for a file");
        path
    }

    /// Runs a script, and ends everything it has started.
    ///
    /// # Panics
    /// When bash cannot be started, or does not end.
    pub async fn run(&self, script: &str) -> Session {
        let (main, said) = (self.write("session", "main.sh", script), self.path("output"));
        // A file and no pipe: what runs on in the background would hold a pipe open.
        let output = File::create(&said).expect("there is room for a file");
        let errors = output.try_clone().expect("a file can be opened twice");
        let mut bash = tokio::process::Command::from(self.bash(&main));
        bash.stdin(Stdio::null()).stdout(output).stderr(errors).process_group(0);
        let mut bash = bash.spawn().expect("bash can be started");
        let group = bash.id().expect("it runs");
        let ended = tokio::time::timeout(SESSION, bash.wait()).await;
        // Nothing is left to end when everything ended by itself.
        let _ =
            Command::new("kill").args(["-KILL", "--", &format!("-{group}")]).stderr(Stdio::null()).status();
        let output = fs::read(&said).expect("the output was written");
        let mut output = String::from_utf8_lossy(&output).into_owned();
        if ended.is_err() {
            output.push_str("\nit did not end, and was ended\n");
        }
        let succeeded = ended.is_ok_and(|status| status.is_ok_and(|status| status.success()));
        Session { succeeded, output }
    }

    fn bash(&self, main: &Path) -> Command {
        let mut bash = Command::new("bash");
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| name.starts_with("GATEWAY_")) {
                bash.env_remove(name);
            }
        }
        let path = std::env::var("PATH").unwrap_or_default();
        bash.arg(main).current_dir(self.path("work"));
        bash.env("PATH", format!("{}:{path}", self.path("bin").display()));
        bash.env("HOME", self.folder.path()).env("CURL_HOME", self.folder.path()).env("NO_PROXY", "*");
        let [public, internal, sandbox, _] = self.ports;
        for (listener, port) in
            [("SERVER__PUBLIC_ADDR", public), ("SERVER__INTERNAL_ADDR", internal), ("SANDBOX__ADDR", sandbox)]
        {
            bash.env(format!("GATEWAY_{listener}"), format!("127.0.0.1:{port}"));
        }
        bash.env("GATEWAY_PLUGINS__DIR", binary::plugins_folder()).env("PLUGINS", binary::plugins_folder());
        bash.env("RENDERERS", binary::built_plugins().join("render"));
        bash
    }
}

/// The first group, from the one of this process on, of which nobody uses a port.
fn free_ports() -> [u16; GROUP as usize] {
    let first = std::process::id().checked_rem(GROUPS).unwrap_or_default();
    let groups = (first..GROUPS).chain(0..first).filter_map(|group| {
        let base = FIRST_PORT.checked_add(u16::try_from(group).ok()?.checked_mul(GROUP)?)?;
        let ports = [base, base.checked_add(1)?, base.checked_add(2)?, base.checked_add(3)?];
        ports.iter().all(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).then_some(ports)
    });
    groups.into_iter().next().expect("some ports are free")
}
