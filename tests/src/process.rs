//! A gateway process: started, listened to, killed.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Longest a gateway takes to listen: the first start ever compiles the plugins.
const START: Duration = Duration::from_mins(2);

/// Longest a gateway takes to stop: the sum of what it gives to open requests, to jobs in hand and to the sandbox.
const STOP: Duration = Duration::from_mins(1);

/// Longest that what an ended process wrote last takes to be read.
const LAST_LINES: Duration = Duration::from_secs(10);

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

    /// Keeps every line of a stream, and gives it to `each`.
    fn follow(
        &self,
        stream: impl Read + Send + 'static,
        mut each: impl FnMut(&str) + Send + 'static,
    ) -> Reader {
        let log = self.clone();
        let (reading, end) = mpsc::channel();
        std::thread::spawn(move || {
            let mut lines = BufReader::new(stream);
            let mut line = Vec::new();
            while lines.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
                let text = String::from_utf8_lossy(&line);
                log.add(text.trim_end());
                each(text.trim_end());
                line.clear();
            }
            drop(reading);
        });
        Reader(end)
    }
}

/// A thread that reads what a process writes until the process has ended.
#[derive(Debug)]
struct Reader(mpsc::Receiver<()>);

impl Reader {
    /// Waits until all is read. Without it a test could look for the last lines before they are in the log.
    fn finish(&self) {
        let _ = self.0.recv_timeout(LAST_LINES);
    }
}

/// A running process; killed when dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    readers: [Reader; 2],
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
        let errors = log.follow(child.stderr.take().expect("standard error is piped"), |_| {});
        let (listens, listening) = oneshot::channel();
        let mut listens = Some(listens);
        let output = log.follow(child.stdout.take().expect("standard output is piped"), move |line| {
            let event = serde_json::from_str::<Value>(line).unwrap_or_default();
            if event.get("event").and_then(Value::as_str) == Some("listening")
                && let Some(listens) = listens.take()
            {
                let _ = listens.send(event);
            }
        });
        let process = Self { child, readers: [errors, output] };
        match tokio::time::timeout(START, listening).await {
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
        for reader in &self.readers {
            reader.finish();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
