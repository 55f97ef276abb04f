use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::user::User;
use crate::{Error, binaries};

/// One address, no socket file, because the path of a socket is limited to 107 bytes and a checkout may lie deep. Room
/// for the pools of dozens of gateways, those of killed ones included until the server notices.
const SETTINGS: &str = "
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 1000
wal_level = minimal
max_wal_senders = 0
";
/// Speed over safety: nothing in the clusters of tests outlives them.
const WITHOUT_DURABILITY: &str = "
fsync = off
synchronous_commit = off
full_page_writes = off
";
const START_ATTEMPTS_MAX: u8 = 5;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// A throw-away cluster: started by [`Cluster::start`], stopped and removed on drop, and also when this process
/// dies without dropping it (a watchdog waits for the end of the process).
#[derive(Debug)]
pub struct Cluster {
    url: String,
    watchdog: Child,
    /// Held for as long as the cluster lives, so that a second run of the same checkout waits.
    _lock: File,
}

impl Cluster {
    /// Creates and starts a fresh cluster in `dir`, which must be for this alone: what an earlier run left there
    /// is stopped and removed. Waits while another process holds a cluster in the same folder.
    pub fn start(dir: &Path) -> Result<Self, Error> {
        Self::start_with(dir, WITHOUT_DURABILITY)
    }

    /// [`Cluster::start`], but a commit is on disk when it returns, as in production: for measurements.
    pub fn start_durable(dir: &Path) -> Result<Self, Error> {
        Self::start_with(dir, "")
    }

    fn start_with(dir: &Path, settings: &str) -> Result<Self, Error> {
        let server = Server::locate(dir)?;
        let lock = server.lock()?;
        server.stop();
        if server.data().exists() {
            fs::remove_dir_all(server.data()).map_err(Error::io("remove the cluster of an earlier run"))?;
        }
        let password = server.create(settings)?;
        let watchdog = server.watchdog()?;
        let port = server.start()?;
        Ok(Self { url: url(&password, port), watchdog, _lock: lock })
    }

    /// The superuser's URL, on the database `postgres`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.watchdog.stdin.take());
        // Nothing is left to do if the watchdog cannot be waited for: it works on alone.
        let _ = self.watchdog.wait();
    }
}

/// The URL of the developer cluster in `dir`, which is created or started when it does not run.
pub(crate) fn developer_url(dir: &Path) -> Result<String, Error> {
    let server = Server::locate(dir)?;
    let _lock = server.lock()?;
    let password_file = server.dir.join("password");
    let password = match fs::read_to_string(&password_file) {
        Ok(password) if server.data().join("PG_VERSION").exists() => password,
        _ => server.create(WITHOUT_DURABILITY)?,
    };
    let port = match server.running_port() {
        Some(port) => port,
        None => server.start()?,
    };
    Ok(url(&password, port))
}

fn url(password: &str, port: u16) -> String {
    format!("postgres://postgres:{password}@{}:{port}/postgres", Ipv4Addr::LOCALHOST)
}

/// One folder with a cluster in `data`, and what is needed to run it.
struct Server {
    bin: PathBuf,
    user: User,
    dir: PathBuf,
}

impl Server {
    fn locate(dir: &Path) -> Result<Self, Error> {
        let user = User::for_server()?;
        Ok(Self { bin: binaries()?, user, dir: user.folder(dir)? })
    }

    fn data(&self) -> PathBuf {
        self.dir.join("data")
    }

    fn log(&self) -> PathBuf {
        self.dir.join("server.log")
    }

    /// Waits until no other process holds this folder.
    fn lock(&self) -> Result<File, Error> {
        let file = File::create(self.dir.join("lock")).map_err(Error::io("create the lock file"))?;
        file.lock().map_err(Error::io("wait for another run of the tests"))?;
        Ok(file)
    }

    /// `initdb`; returns the superuser's password, which `password` beside the data keeps for later callers.
    fn create(&self, more_settings: &str) -> Result<String, Error> {
        let password = random_password()?;
        let password_file = self.dir.join("password");
        private_file(&password_file, &password)?;
        self.user.give(&password_file)?;
        // A half-made folder of an interrupted run would stop initdb.
        if self.data().exists() {
            fs::remove_dir_all(self.data()).map_err(Error::io("remove a half-made cluster"))?;
        }
        self.run(
            "initdb",
            self.user
                .command(self.bin.join("initdb"), &self.dir)
                .args(["--username=postgres", "--encoding=UTF8", "--no-locale", "--no-sync"])
                .args(["--auth=password", "--pwfile=password", "--pgdata=data"]),
        )?;
        let mut file = File::options()
            .append(true)
            .open(self.data().join("postgresql.conf"))
            .map_err(Error::io("open postgresql.conf"))?;
        for settings in [SETTINGS, more_settings] {
            file.write_all(settings.as_bytes()).map_err(Error::io("write postgresql.conf"))?;
        }
        Ok(password)
    }

    /// Starts on a free port and waits until connections are accepted. Somebody may take the port between our
    /// look and the server's, hence the attempts.
    fn start(&self) -> Result<u16, Error> {
        let mut attempt = 1;
        loop {
            let port = free_port()?;
            let started = self.run(
                "pg_ctl",
                self.user
                    .command(self.bin.join("pg_ctl"), &self.dir)
                    .args([
                        "start",
                        "--silent",
                        "--wait",
                        "--timeout=60",
                        "--pgdata=data",
                        "--log=server.log",
                    ])
                    .arg(format!("--options=-p {port}")),
            );
            match started {
                Ok(()) => return Ok(port),
                Err(error) if attempt == START_ATTEMPTS_MAX => return Err(error),
                Err(_) => attempt += 1,
            }
        }
    }

    /// Best effort: there may be nothing to stop.
    fn stop(&self) {
        if self.data().join("postmaster.pid").exists() {
            let _ = self
                .user
                .command(self.bin.join("pg_ctl"), &self.dir)
                .args(["stop", "--silent", "--mode=immediate", "--pgdata=data"])
                .output();
        }
    }

    /// A shell that ends with us: its input closes when we drop it or die in any way, also by SIGKILL. Its own
    /// process group keeps Ctrl-C from it, so that it is still there to clean up.
    fn watchdog(&self) -> Result<Child, Error> {
        let script = "read -r _; \"$0\" stop --silent --mode=immediate --pgdata=data; rm -rf data";
        self.user
            .shell(script, &self.dir)
            .arg(self.bin.join("pg_ctl"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(Error::io("start the shell that stops PostgreSQL"))
    }

    /// The port of the server that runs on our data. The fourth line of `postmaster.pid` says it, the eighth is
    /// `ready`; a crash leaves the file behind, so the port is tried.
    fn running_port(&self) -> Option<u16> {
        let pid_file = fs::read_to_string(self.data().join("postmaster.pid")).ok()?;
        let mut lines = pid_file.lines().map(str::trim);
        let port = lines.nth(3)?.parse().ok()?;
        let ready = lines.nth(3) == Some("ready");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        (ready && TcpStream::connect_timeout(&address, CONNECT_TIMEOUT).is_ok()).then_some(port)
    }

    /// Runs to the end. The output goes to a file, not to a pipe: the server inherits it and never closes it.
    fn run(&self, program: &'static str, command: &mut Command) -> Result<(), Error> {
        let path = self.dir.join("output");
        let output = File::create(&path).map_err(Error::io("create the output file"))?;
        let errors = output.try_clone().map_err(Error::io("share the output file"))?;
        let status = command
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .status()
            .map_err(Error::io(format!("run {program}")))?;
        if status.success() {
            return Ok(());
        }
        let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        Err(Error::Command { program, output: format!("{}{}", read(&path), read(&self.log())) })
    }
}

fn free_port() -> Result<u16, Error> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(Error::io("find a free port"))
}

/// Keeps other users of the machine out: a superuser of PostgreSQL can run programs as its user.
fn random_password() -> Result<String, Error> {
    let mut bytes = [0_u8; 16];
    File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .map_err(Error::io("read random bytes"))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

fn private_file(path: &Path, content: &str) -> Result<(), Error> {
    use std::os::unix::fs::OpenOptionsExt;
    let _ = fs::remove_file(path);
    File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .and_then(|mut file| file.write_all(content.as_bytes()))
        .map_err(Error::io(format!("write {}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts_connections(url: &str) -> bool {
        let address = url.split('@').nth(1).unwrap().trim_end_matches("/postgres").parse().unwrap();
        TcpStream::connect_timeout(&address, CONNECT_TIMEOUT).is_ok()
    }

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("gateway-{name}-{}", std::process::id()))
    }

    #[test]
    fn a_cluster_serves_until_it_is_dropped_and_leaves_no_data() {
        let dir = folder("throw-away");
        let cluster = Cluster::start(&dir).unwrap();
        let url = cluster.url().to_owned();
        assert!(accepts_connections(&url));

        drop(cluster);
        assert!(!accepts_connections(&url));
        assert!(!dir.join("data").exists());
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_developer_cluster_is_reused_while_it_runs_and_restarted_with_its_data_when_it_does_not() {
        let dir = folder("developer");
        let first = developer_url(&dir).unwrap();
        assert_eq!(developer_url(&dir).unwrap(), first);

        let server = Server::locate(&dir).unwrap();
        server.stop();
        let again = developer_url(&dir).unwrap();
        assert!(accepts_connections(&again));
        assert_eq!(again.split('@').next(), first.split('@').next(), "the password belongs to the data");

        server.stop();
        fs::remove_dir_all(dir).unwrap();
    }
}
