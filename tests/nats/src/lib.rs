//! A NATS server for tests, on any machine that has the program `nats-server`.
//!
//! `cargo xtask test` starts one for the whole run and tells the tests its address through `GATEWAY_TEST_NATS`; a test
//! started without it gets a server of its own. Tests that share a server use streams of their own names.

#![cfg(unix)]

use std::env;
use std::fmt;
use std::fs;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Names the address of a running server with JetStream, for example `nats://127.0.0.1:4222`.
pub const URL_VARIABLE: &str = "GATEWAY_TEST_NATS";

const PROGRAM: &str = "nats-server";
/// How long a server may take to start.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Where our servers listen: below the ports that systems give to whoever asks for any, so that a server which comes
/// back finds its port free.
const PORTS: Range<u16> = 10_000..32_000;
/// How many ports are tried.
const PORTS_TRIED_MAX: usize = 50;
/// Distinguishes servers and streams of one process.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Why there is no server.
#[derive(Debug)]
#[expect(missing_docs, reason = "each variant is its own sentence, see Display")]
pub enum Error {
    NotInstalled,
    NotAServer { nats_bin: PathBuf },
    Io { what: String, source: io::Error },
    Silent,
    NoPort,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInstalled => f.write_str(
                "no nats-server found: install the package `nats-server`, or set NATS_BIN to the program",
            ),
            Self::NotAServer { nats_bin } => {
                write!(f, "NATS_BIN is {}, which is neither nats-server nor its folder", nats_bin.display())
            }
            Self::Io { what, source } => write!(f, "could not {what}: {source}"),
            Self::Silent => {
                write!(f, "nats-server did not say within {} s where it listens", TIMEOUT.as_secs())
            }
            Self::NoPort => {
                write!(f, "no free port for nats-server was found from {} to {}", PORTS.start, PORTS.end)
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::NotInstalled | Self::NotAServer { .. } | Self::Silent | Self::NoPort => None,
        }
    }
}

fn io_error(what: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
    let what = what.into();
    |source| Error::Io { what, source }
}

/// The program: `NATS_BIN` (itself or its folder), else the first in `PATH` and where systems keep servers.
///
/// Fails with [`Error::NotInstalled`], which a caller may answer by installing the package.
pub fn binary() -> Result<PathBuf, Error> {
    if let Some(nats_bin) = env::var_os("NATS_BIN").filter(|value| !value.is_empty()) {
        let nats_bin = PathBuf::from(nats_bin);
        let inside = nats_bin.join(PROGRAM);
        return [nats_bin.clone(), inside]
            .into_iter()
            .find(|path| path.is_file())
            .ok_or(Error::NotAServer { nats_bin });
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from));
    folders.map(|folder| folder.join(PROGRAM)).find(|program| program.is_file()).ok_or(Error::NotInstalled)
}

/// A server with JetStream; one that we started ends when this is dropped or our process ends, however it ends.
#[derive(Debug)]
pub struct Nats {
    url: String,
    own: Option<Own>,
}

#[derive(Debug)]
struct Own {
    /// Ends the server when its standard input closes.
    guard: Child,
    folder: PathBuf,
}

impl Nats {
    /// The server that `GATEWAY_TEST_NATS` names, else one of our own.
    pub fn for_tests() -> Result<Self, Error> {
        match env::var(URL_VARIABLE) {
            Ok(url) if !url.is_empty() => Ok(Self { url, own: None }),
            _ => Self::start(),
        }
    }

    /// A server of our own on a free port.
    pub fn start() -> Result<Self, Error> {
        let folder = env::temp_dir().join(format!("gateway-test-nats-{}", unique()));
        fs::create_dir_all(&folder).map_err(io_error(format!("create {}", folder.display())))?;
        let (guard, url) = spawn(&folder, &free_port().ok_or(Error::NoPort)?.to_string())?;
        Ok(Self { url, own: Some(Own { guard, folder }) })
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address with a stream that no other test uses.
    pub fn fresh_stream(&self) -> String {
        format!("{}/test-{}", self.url, unique())
    }

    /// Ends our own server at once; what it kept stays.
    pub fn kill(&mut self) {
        if let Some(own) = &mut self.own {
            end(&mut own.guard);
        }
    }

    /// Lets our own server stand still (SIGSTOP): connections stay open, new ones are taken by the system, and nothing is
    /// answered.
    pub fn pause(&self) -> Result<(), Error> {
        self.signal("STOP")
    }

    /// Lets it go on after [`Nats::pause`].
    pub fn go_on(&self) -> Result<(), Error> {
        self.signal("CONT")
    }

    fn signal(&self, signal: &str) -> Result<(), Error> {
        let Some(own) = &self.own else { return Ok(()) };
        let process = ports_file(&own.folder).as_deref().and_then(process_of).ok_or(Error::Silent)?;
        let mut kill = Command::new("kill");
        kill.args([&format!("-{signal}"), &process]);
        kill.status().map_err(io_error("signal nats-server")).map(drop)
    }

    /// Starts our own server again where it was, with what it kept.
    pub fn restart(&mut self) -> Result<(), Error> {
        let port = self.url.rsplit(':').next().unwrap_or_default().to_owned();
        if let Some(own) = &mut self.own {
            end(&mut own.guard);
            (own.guard, self.url) = spawn(&own.folder, &port)?;
        }
        Ok(())
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        if let Some(own) = &mut self.own {
            end(&mut own.guard);
            // What stays behind lies in the temporary folder.
            let _ = fs::remove_dir_all(&own.folder);
        }
    }
}

/// Runs the server and ends it when our end of its standard input closes, also because our process was killed.
const GUARD: &str =
    r#""$@" >/dev/null 2>&1 & server=$!; read -r _; kill -9 "$server"; wait "$server" 2>/dev/null"#;

fn end(guard: &mut Child) {
    drop(guard.stdin.take());
    // It may have ended by itself.
    let _ = guard.wait();
}

/// A name that nobody had before: numbers of processes come again.
fn unique() -> String {
    let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    format!("{process}-{count}-{:x}", random())
}

/// The standard library seeds its hash maps from the system's random numbers.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A port at which nobody listens.
fn free_port() -> Option<u16> {
    let first = usize::from(u16::try_from(random() % u64::from(u16::MAX)).unwrap_or(0));
    let mut ports = PORTS.cycle().skip(first % PORTS.len()).take(PORTS_TRIED_MAX);
    ports.find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
}

fn spawn(folder: &Path, port: &str) -> Result<(Child, String), Error> {
    // What a server said that is gone now.
    if let Some(said) = ports_file(folder) {
        fs::remove_file(&said).map_err(io_error(format!("remove {}", said.display())))?;
    }
    let mut command = Command::new("/bin/sh");
    command.args(["-c", GUARD, "nats-guard"]).arg(binary()?);
    command.args(["--jetstream", "--addr", "127.0.0.1", "--port", port, "--store_dir"]).arg(folder);
    command.arg("--ports_file_dir").arg(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut guard = command.spawn().map_err(io_error("start nats-server"))?;
    let deadline = Instant::now() + TIMEOUT;
    while Instant::now() < deadline {
        let said = ports_file(folder).and_then(|file| fs::read_to_string(file).ok());
        if let Some(url) = said.as_deref().and_then(listening_at) {
            return Ok((guard, url));
        }
        thread::sleep(Duration::from_millis(10));
    }
    end(&mut guard);
    Err(Error::Silent)
}

/// Where a server says at which ports it listens; its process number is in the name.
fn ports_file(folder: &Path) -> Option<PathBuf> {
    let mut files = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    files.find(|file| file.extension().is_some_and(|extension| extension == "ports"))
}

/// The process number in the name of such a file, `nats-server_4711.ports`.
fn process_of(file: &Path) -> Option<String> {
    let (_, process) = file.file_stem()?.to_str()?.rsplit_once('_')?;
    Some(process.to_owned())
}

/// The address in what the server wrote, such as `{"nats":["nats://127.0.0.1:4222"]}`; none of a half-written file.
fn listening_at(said: &str) -> Option<String> {
    let (_, rest) = said.split_once("\"nats://")?;
    let (address, _) = rest.split_once('"')?;
    Some(format!("nats://{address}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_read_from_what_the_server_wrote() {
        let said = r#"{"nats":["nats://127.0.0.1:4222"],"monitoring":["http://127.0.0.1:8222"]}"#;
        assert_eq!(listening_at(said).as_deref(), Some("nats://127.0.0.1:4222"));
        assert_eq!(listening_at(r#"{"nats":["nats://127.0"#), None);
        assert_eq!(listening_at(""), None);
        assert_eq!(process_of(Path::new("/tmp/nats-server_4711.ports")).as_deref(), Some("4711"));
    }

    #[test]
    fn a_server_comes_back_where_it_was() {
        let mut nats = Nats::start().unwrap();
        let url = nats.url().to_owned();
        nats.kill();
        nats.restart().unwrap();
        assert_eq!(nats.url(), url);
        assert_ne!(nats.fresh_stream(), nats.fresh_stream());
    }
}
