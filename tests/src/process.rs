//! A gateway process: started, listened to, killed.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Longest a gateway takes to listen: the first start ever compiles the plugins.
const START: Duration = Duration::from_mins(2);

/// Longest a gateway takes to stop: the sum of what it gives to open requests, to jobs in hand and to the sandbox.
const STOP: Duration = Duration::from_mins(1);

/// What a process writes, from its first start on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log(Arc<Mutex<String>>);

impl Log {
    pub(crate) fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn add(&self, text: &str) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.push_str(text);
        log.push('\n');
    }

    fn follow(&self, stream: impl Read + Send + 'static) {
        let log = self.clone();
        std::thread::spawn(move || {
            let mut lines = BufReader::new(stream);
            let mut line = Vec::new();
            while lines.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
                log.add(String::from_utf8_lossy(&line).trim_end());
                line.clear();
            }
        });
    }
}

/// A running process; killed when dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
}

impl Process {
    /// Starts `command`, and gives its first line of JSON with `"event":"listening"`.
    ///
    /// # Panics
    /// When it does not start, or does not say so in time.
    pub(crate) async fn listening(command: Command, log: &Log) -> (Self, Value) {
        let started = Self::try_listening(command, log).await;
        started.unwrap_or_else(|| panic!("the gateway did not start to listen; it wrote:\n{}", log.text()))
    }

    /// [`Process::listening`]; none when it ended before it said so.
    pub(crate) async fn try_listening(mut command: Command, log: &Log) -> Option<(Self, Value)> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the gateway's binary can be started");
        log.follow(child.stderr.take().expect("standard error is piped"));
        let stdout = child.stdout.take().expect("standard output is piped");
        let (said, next_position) = oneshot::channel();
        let kept = log.clone();
        std::thread::spawn(move || {
            let mut said = Some(said);
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                kept.add(&line);
                let event = serde_json::from_str::<Value>(&line).unwrap_or_default();
                if event.get("event").and_then(Value::as_str) == Some("listening")
                    && let Some(said) = said.take()
                {
                    let _ = said.send(event);
                }
            }
        });
        let process = Self { child };
        match tokio::time::timeout(START, next_position).await {
            Ok(Ok(event)) => Some((process, event)),
            _ => None,
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as a power cut would: SIGKILL.
    pub(crate) fn kill9(mut self) {
        self.end();
    }

    /// Sends it a signal, such as `STOP`.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "the gateway can be sent {name}");
    }

    /// Whether a signal has stopped it, as Linux says it.
    pub(crate) fn is_stopped(&self) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        status.is_ok_and(|text| text.lines().any(|line| line.starts_with("State:\tT")))
    }

    /// Asks it to stop (SIGTERM) and waits until it did.
    pub(crate) async fn stop(mut self) -> Option<ExitStatus> {
        self.signal("TERM");
        let end = Instant::now() + STOP;
        while Instant::now() < end {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        None
    }

    /// Whether it ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
