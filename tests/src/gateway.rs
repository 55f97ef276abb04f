//! A gateway of its own for one test: data directory, database, process, command line.

use crate::api::Api;
use crate::binary;
use crate::openapi::Listener;
use crate::process::{Log, Process};
use gateway_storage::Engine;
use gateway_storage::testing::{self, TestDb};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;

/// Longest a command may take.
const COMMAND: Duration = Duration::from_mins(4);

/// What the configuration of a gateway says beside the addresses.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `sandbox`, or where the provider is; none: submissions wait.
    pub provider: Option<String>,
    /// Another folder of plugins.
    pub plugins: Option<PathBuf>,
    /// More variables, such as `GATEWAY_OAUTH__TOKEN_LIFETIME_S`.
    pub variables: Vec<(String, String)>,
    /// The command that becomes the gateway, with its arguments; none: the gateway is started as it is.
    pub launcher: Vec<String>,
    /// Another build of the gateway; none: the one under test.
    pub binary: Option<PathBuf>,
}

impl Options {
    /// With the built-in provider.
    pub fn sandbox() -> Self {
        Self::provider("sandbox")
    }

    /// With a provider at `url`.
    pub fn provider(url: &str) -> Self {
        Self { provider: Some(url.to_owned()), ..Self::default() }
    }

    /// With one more variable.
    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Started by another command that becomes the gateway, such as `nice`.
    #[must_use]
    pub fn launched_by(mut self, launcher: &[&str]) -> Self {
        self.launcher = launcher.iter().map(|&part| part.to_owned()).collect();
        self
    }
}

/// What a command did.
#[derive(Debug, Clone)]
pub struct Ran {
    /// Its exit code.
    pub code: i32,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Ran {
    /// The data it printed with `--json`.
    ///
    /// # Panics
    /// When it failed or printed something else.
    pub fn json(&self) -> Value {
        let text = self.succeeded().stdout.trim();
        serde_json::from_str(text).unwrap_or_else(|_| panic!("no JSON: {text}"))
    }

    /// # Panics
    /// When it failed.
    pub fn succeeded(&self) -> &Self {
        assert_eq!(self.code, 0, "the command failed:\n{}{}", self.stdout, self.stderr);
        self
    }
}

/// A gateway with a data directory and a database of its own; both are gone when it is dropped.
#[derive(Debug)]
pub struct Gateway {
    engine: Engine,
    options: Options,
    process: Option<Process>,
    log: Log,
    public: String,
    internal: String,
    sandbox: Option<String>,
    // Dropped last: the process lives in them.
    database: Option<TestDb>,
    folder: TempDir,
}

impl Gateway {
    /// A data directory and an empty database, with nothing running.
    ///
    /// # Panics
    /// When they cannot be made.
    pub async fn prepared(engine: Engine, options: Options) -> Self {
        let database = match engine {
            Engine::Sqlite => None,
            Engine::Postgres => {
                let database = testing::database(engine).await;
                database.close().await;
                Some(database)
            }
        };
        let folder = tempfile::tempdir().expect("there is room for a data directory");
        share_plugin_cache(folder.path());
        Self {
            engine,
            options,
            process: None,
            log: Log::default(),
            public: String::new(),
            internal: String::new(),
            sandbox: None,
            database,
            folder,
        }
    }

    /// A gateway that serves.
    pub async fn start(engine: Engine, options: Options) -> Self {
        let mut gateway = Self::prepared(engine, options).await;
        gateway.serve().await;
        gateway
    }

    /// `gateway sandbox` alone, with these arguments and a database of its own.
    pub async fn standalone_sandbox(engine: Engine, arguments: &[&str]) -> Self {
        let mut gateway = Self::prepared(engine, Options::default()).await;
        gateway.run("sandbox", arguments).await;
        gateway
    }

    /// Starts `gateway serve`, after a kill on the same data.
    ///
    /// # Panics
    /// When it does not listen.
    pub async fn serve(&mut self) {
        self.run("serve", &[]).await;
        assert!(self.public.starts_with("http") && self.internal.starts_with("http"), "two listeners");
    }

    /// Starts `gateway serve`; `false` when it ended before it listened.
    pub async fn try_serve(&mut self) -> bool {
        let mut command = self.command();
        command.arg("serve");
        let started = Process::try_listening(command, &self.log).await;
        let Some((process, event)) = started else { return false };
        self.listens(process, &event);
        true
    }

    async fn run(&mut self, name: &str, arguments: &[&str]) {
        let mut command = self.command();
        command.arg(name).args(arguments);
        let (process, event) = Process::listening(command, &self.log).await;
        self.listens(process, &event);
    }

    fn listens(&mut self, process: Process, event: &Value) {
        let url = |name: &str| event.get(name).and_then(Value::as_str).map(str::to_owned);
        self.public = url("public").unwrap_or_default();
        self.internal = url("internal").unwrap_or_default();
        self.sandbox = url("sandbox");
        self.process = Some(process);
    }

    /// Ends it at once (SIGKILL).
    pub fn kill9(&mut self) {
        if let Some(process) = self.process.take() {
            process.kill9();
        }
    }

    /// Lets it stand still (SIGSTOP): it holds what it holds, and does nothing.
    pub fn pause(&self) {
        if let Some(process) = &self.process {
            process.signal("STOP");
        }
    }

    /// Sends it a signal, by its name without `SIG`.
    pub fn signal(&self, name: &str) {
        if let Some(process) = &self.process {
            process.signal(name);
        }
    }

    /// Whether it stands still, by [`Gateway::pause`] or at a moment that `GATEWAY_TEST_STOP_AT` names.
    pub fn is_suspended(&self) -> bool {
        self.process.as_ref().is_some_and(Process::is_stopped)
    }

    /// Lets it go on after [`Gateway::pause`].
    pub fn go_on(&self) {
        if let Some(process) = &self.process {
            process.signal("CONT");
        }
    }

    /// Asks it to stop, and waits; none when it does not within a minute.
    pub async fn stop(&mut self) -> Option<ExitStatus> {
        self.process.take()?.stop().await
    }

    /// Whether it runs; one that ended by itself does not.
    pub fn runs(&mut self) -> bool {
        if self.process.as_mut().is_some_and(Process::has_ended) {
            self.process = None;
        }
        self.process.is_some()
    }

    /// Another process on the same database, with a data directory of its own and the same master key. Nothing runs
    /// yet.
    ///
    /// # Panics
    /// When there is no room for it.
    #[must_use]
    pub fn replica(&self) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a data directory");
        share_plugin_cache(folder.path());
        let key = self.folder().join("master.key").display().to_string();
        let options = self
            .options
            .clone()
            .variable("GATEWAY_DATABASE__URL", &self.database_url())
            .variable("GATEWAY_SECRETS__MASTER_KEY_FILE", &key);
        Self {
            engine: self.engine,
            options,
            process: None,
            log: Log::default(),
            public: String::new(),
            internal: String::new(),
            sandbox: None,
            database: None,
            folder,
        }
    }

    /// What the configuration says from the next start on.
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// Other options from the next start on.
    pub fn reconfigure(&mut self, options: Options) {
        self.options = options;
    }

    /// From its next start on it ends at this point of the code, such as `after-requested`; at none: it lives on. Needs a
    /// binary [`with_fail_points`](crate::with_fail_points).
    pub fn die_at(&mut self, point: Option<&str>) {
        const KILL_AT: &str = "GATEWAY_TEST_KILL_AT";
        let mut options = self.options().clone();
        options.variables.retain(|(name, _)| name != KILL_AT);
        if let Some(point) = point {
            options = options.variable(KILL_AT, point);
        }
        self.reconfigure(options);
    }

    /// The database it runs on.
    pub const fn engine(&self) -> Engine {
        self.engine
    }

    /// Calls to the public listener, without a token.
    pub fn public(&self) -> Api {
        self.documented(Api::new(&self.public), Listener::Public)
    }

    /// Calls to the internal listener, without a token.
    pub fn internal(&self) -> Api {
        self.documented(Api::new(&self.internal), Listener::Internal)
    }

    /// The documents of this state of the sources say nothing about the answers of another one.
    fn documented(&self, api: Api, listener: Listener) -> Api {
        if binary::is_built_with_tests(self.binary()) { api.documented_as(listener) } else { api }
    }

    fn binary(&self) -> &Path {
        self.options.binary.as_deref().unwrap_or_else(|| binary::gateway())
    }

    /// Calls to the built-in provider; any token is good there.
    ///
    /// # Panics
    /// When there is none.
    pub fn sandbox(&self) -> Api {
        Api::new(self.sandbox.as_ref().expect("the built-in provider runs")).with_token("any")
    }

    /// Whether the built-in provider runs.
    pub const fn has_sandbox(&self) -> bool {
        self.sandbox.is_some()
    }

    /// Where its database, keys and caches are.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The address of its database, as configured.
    pub fn database_url(&self) -> String {
        self.database.as_ref().map_or_else(
            || format!("sqlite:{}", self.folder().join("gateway.db").display()),
            |database| database.url().to_owned(),
        )
    }

    /// The id of its process.
    ///
    /// # Panics
    /// When it does not run.
    pub fn process_id(&self) -> u32 {
        self.process.as_ref().expect("the gateway runs").id()
    }

    /// Everything it wrote so far.
    pub fn log(&self) -> String {
        self.log.text()
    }

    /// Runs a command beside it, with the same configuration.
    pub async fn cli(&self, arguments: &[&str]) -> Ran {
        self.cli_with(arguments, &[], "").await
    }

    /// Runs a command with more variables and something on standard input.
    ///
    /// # Panics
    /// When it does not start, or does not end.
    pub async fn cli_with(&self, arguments: &[&str], variables: &[(&str, &str)], input: &str) -> Ran {
        let mut command = tokio::process::Command::from(self.command());
        command.args(arguments).envs(variables.iter().copied()).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the gateway's binary can be started");
        let mut stdin = child.stdin.take().expect("standard input is piped");
        // A command that does not read ends before this is written.
        let _ = stdin.write_all(input.as_bytes()).await;
        drop(stdin);
        let ended = tokio::time::timeout(COMMAND, child.wait_with_output()).await;
        let output =
            ended.unwrap_or_else(|_| panic!("{arguments:?} did not end")).expect("it was waited for");
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The binary with this gateway's configuration and nothing else of the kind: a command is still to be added.
    pub fn command(&self) -> Command {
        let binary = self.binary();
        let mut command = match self.options.launcher.split_first() {
            None => Command::new(binary),
            Some((program, arguments)) => {
                let mut command = Command::new(program);
                command.args(arguments).arg(binary);
                command
            }
        };
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| name.starts_with("GATEWAY_")) {
                command.env_remove(name);
            }
        }
        command.current_dir(self.folder());
        command.env("GATEWAY_DATA_DIR", self.folder());
        if let Some(database) = &self.database {
            command.env("GATEWAY_DATABASE__URL", database.url());
        }
        for listener in ["SERVER__PUBLIC_ADDR", "SERVER__INTERNAL_ADDR", "SANDBOX__ADDR"] {
            command.env(format!("GATEWAY_{listener}"), "127.0.0.1:0");
        }
        let plugins = self.options.plugins.clone().unwrap_or_else(binary::plugins_folder);
        command.env("GATEWAY_PLUGINS__DIR", plugins);
        if let Some(provider) = &self.options.provider {
            command.env("GATEWAY_PROVIDER__BASE_URL", provider);
        }
        command.envs(self.options.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// Compiled plugins are the same for all, and compiling them takes longer than most tests.
fn share_plugin_cache(data: &Path) {
    let shared = binary::target_folder().join("gateway-tests-plugin-cache");
    std::fs::create_dir_all(&shared).expect("there is room for compiled plugins");
    std::os::unix::fs::symlink(&shared, data.join("plugin-cache")).expect("the data directory is fresh");
}
