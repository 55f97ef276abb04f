//! Postfix as a mail server of a test: on free ports, with a folder of its own.

use std::fmt::Write as _;
use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Runs the server and ends it when our end of its standard input closes, also because our process was killed.
const GUARD: &str =
    r#"postfix -c "$1" start >/dev/null 2>&1; read -r _; postfix -c "$1" stop >/dev/null 2>&1"#;

/// How long the server may take to listen.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Where it may listen: below the ports of the other servers of tests.
const FIRST_PORT: u16 = 9_000;
const PORTS: u16 = 1_000;

/// Besides the listeners: what takes a message and puts it into a mailbox.
const SERVICES: &str = "cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
virtual unix - n n - - virtual
error unix - - n - - error
proxymap unix - - n - - proxymap
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
";

/// The user that the package made, looked for once; none: there is no package.
static POSTFIX_USER: OnceLock<Option<u32>> = OnceLock::new();

/// A mail server that takes everything for `example.org`; it ends when this is dropped or our process ends, however it ends.
#[derive(Debug)]
pub struct Postfix {
    guard: Child,
    folder: TempDir,
    tls_port: u16,
}

impl Postfix {
    /// A server with this certificate and key, files in PEM. None, and a line that says so, where only root could start it, or
    /// where the package is missing and cannot be installed.
    ///
    /// # Panics
    /// When it is there and does not start.
    pub fn start(certificate: &Path, key: &Path) -> Option<Self> {
        if user_number("root").is_none_or(|root| Some(root) != user_number("")) {
            eprintln!("did not run: only root starts postfix");
            return None;
        }
        let Some(user) = *POSTFIX_USER.get_or_init(|| user_number("postfix").or_else(install)) else {
            eprintln!("did not run: install the package `postfix`");
            return None;
        };
        let folder = tempfile::tempdir().expect("a folder for the mail server");
        let tls_port = free_port();
        configure(folder.path(), user, (tls_port, certificate, key));
        let mut command = Command::new("/bin/sh");
        command.args(["-c", GUARD, "postfix-guard"]).arg(folder.path().join("etc"));
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let guard = command.spawn().expect("a shell that runs the mail server");
        let server = Self { guard, folder, tls_port };
        let deadline = Instant::now() + TIMEOUT;
        while !server.listens() {
            assert!(Instant::now() < deadline, "postfix does not listen: {}", server.log());
            thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }

    /// Whether it is this server that listens: it says that it started once its ports are bound.
    fn listens(&self) -> bool {
        self.log().contains("daemon started")
            && TcpStream::connect((Ipv4Addr::LOCALHOST, self.tls_port)).is_ok()
    }

    /// Where it speaks TLS from the first byte.
    pub fn url(&self) -> String {
        format!("smtps://127.0.0.1:{}", self.tls_port)
    }

    /// The messages that arrived, as they are stored, in no order.
    pub fn messages(&self) -> Vec<String> {
        let Ok(files) = fs::read_dir(self.folder.path().join("mail/inbox/new")) else { return Vec::new() };
        files.flatten().filter_map(|file| fs::read_to_string(file.path()).ok()).collect()
    }

    /// What it logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Postfix {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        // It may have ended by itself.
        let _ = self.guard.wait();
    }
}

/// The number of a user of the system; of whom we are without a name.
fn user_number(name: &str) -> Option<u32> {
    let mut command = Command::new("id");
    command.arg("-u").args((!name.is_empty()).then_some(name));
    let number = command.output().ok().filter(|output| output.status.success())?.stdout;
    String::from_utf8(number).ok()?.trim().parse().ok()
}

/// Installs the package of Debian, and says who its user is.
fn install() -> Option<u32> {
    eprintln!("postfix is not installed; running: apt-get install postfix");
    for words in
        [&["update", "--quiet"][..], &["install", "--quiet", "--yes", "--no-install-recommends", "postfix"]]
    {
        let mut command = Command::new("apt-get");
        command.args(words).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
        // Whether it is there is asked of the system.
        let _ = command.status();
    }
    user_number("postfix")
}

/// A port that nobody listens on: below those that systems give to whoever asks for any, so that nobody is given it before the
/// server has it.
fn free_port() -> u16 {
    static TRIED: AtomicU16 = AtomicU16::new(0);
    let first = u16::try_from(process::id() % u32::from(PORTS)).expect("less than the number of ports");
    let mut ports = (0..PORTS).map(|_| {
        let tried = TRIED.fetch_add(1, Ordering::Relaxed) % PORTS;
        FIRST_PORT + (first + tried) % PORTS
    });
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    ports.find(is_free).expect("a free port")
}

/// Writes the configuration, and makes the folders that it names.
fn configure(folder: &Path, user: u32, (port, certificate, key): (u16, &Path, &Path)) {
    let path = |name: &str| -> PathBuf { folder.join(name) };
    for name in ["etc", "queue", "data", "mail"] {
        fs::create_dir(path(name)).expect("a folder of the mail server");
    }
    for name in ["data", "mail"] {
        std::os::unix::fs::chown(path(name), Some(user), None).expect("root gives folders away");
    }
    // The mailbox is written by another user than ours.
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(folder, open).expect("our own folder");
    let base = folder.display();
    let mut main = String::new();
    for (name, value) in [
        ("compatibility_level", "3.6".to_owned()),
        ("queue_directory", format!("{base}/queue")),
        ("data_directory", format!("{base}/data")),
        ("daemon_directory", "/usr/lib/postfix/sbin".to_owned()),
        ("command_directory", "/usr/sbin".to_owned()),
        ("mail_owner", "postfix".to_owned()),
        ("setgid_group", "postdrop".to_owned()),
        ("myhostname", "mail.example".to_owned()),
        ("mydestination", String::new()),
        ("alias_maps", String::new()),
        ("inet_interfaces", "loopback-only".to_owned()),
        ("inet_protocols", "ipv4".to_owned()),
        ("maillog_file", format!("{base}/log")),
        ("maillog_file_prefixes", base.to_string()),
        ("virtual_mailbox_domains", "example.org".to_owned()),
        ("virtual_mailbox_base", format!("{base}/mail")),
        ("virtual_mailbox_maps", "static:inbox/".to_owned()),
        ("virtual_minimum_uid", "1".to_owned()),
        ("virtual_uid_maps", format!("static:{user}")),
        ("virtual_gid_maps", format!("static:{user}")),
        ("smtpd_tls_cert_file", certificate.display().to_string()),
        ("smtpd_tls_key_file", key.display().to_string()),
        ("default_transport", "error:nowhere".to_owned()),
        // What failed once is tried again after a second, not after minutes.
        ("service_throttle_time", "1s".to_owned()),
        ("queue_run_delay", "1s".to_owned()),
        ("minimal_backoff_time", "1s".to_owned()),
        ("maximal_backoff_time", "1s".to_owned()),
    ] {
        // A String takes everything.
        let _ = writeln!(main, "{name} = {value}");
    }
    let listener = format!("127.0.0.1:{port} inet n - n - - smtpd\n  -o smtpd_tls_wrappermode=yes\n");
    fs::write(path("etc/main.cf"), main).expect("the configuration of the mail server");
    fs::write(path("etc/master.cf"), listener + SERVICES).expect("the services of the mail server");
}
