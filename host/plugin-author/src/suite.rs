//! Golden cases through the component, offline, in the host code of the server.

use crate::difference::{self, Difference};
use crate::folder::{self, Folder};
use crate::offline::plugin_host;
use crate::{progress, trace};
use gateway_domain::fault::Fault;
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::{
    AuthorityAnswer, AuthorityOutcome, AuthoritySubmission, ProviderReport, RegimeContext, RegimeInvoice,
    RegimeKey, Sample,
};
use gateway_domain_finance::sound;
use gateway_domain_input::unreadable;
use gateway_plugin_host::{CallReport, JsonError, Observer, Plugin, PluginHost, Scope};
use gateway_registry::{Case, CaseErrors, CaseFaults, CaseReading, Environment, Report};
use gateway_terminal::Failure;
use serde::Serialize;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tracing::instrument::WithSubscriber;
use tracing::subscriber::NoSubscriber;

/// How a case came out.
#[derive(Debug)]
pub(crate) struct CaseResult {
    pub(crate) name: String,
    pub(crate) outcome: CaseOutcome,
    /// The longest call of the plugin.
    pub(crate) duration_max: Duration,
    /// Linear memory of the plugin at its peak, bytes.
    pub(crate) memory_bytes: usize,
    /// Where the plugin was stopped, innermost function first.
    pub(crate) stopped_in: Vec<String>,
    /// The end of what the plugin wrote to standard error in its last call that wrote any.
    pub(crate) stderr: Option<String>,
}

#[derive(Debug)]
pub(crate) enum CaseOutcome {
    Passed,
    /// The expectation was written.
    Written,
    /// Made, but not as expected.
    Differs(Vec<Difference>),
    /// Made, and nobody says what is expected.
    Unexpected(Value),
    /// Nothing was made: a sentence.
    Failed(String),
    /// Cannot be asked through the gateway: a sentence.
    Skipped(String),
}

impl CaseOutcome {
    pub(crate) const fn as_str(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Written => "written",
            Self::Differs(_) | Self::Unexpected(_) | Self::Failed(_) => "failed",
            Self::Skipped(_) => "skipped",
        }
    }

    pub(crate) const fn is_failure(&self) -> bool {
        matches!(self, Self::Differs(_) | Self::Unexpected(_) | Self::Failed(_))
    }
}

type CallReports = Arc<Mutex<Vec<CallReport>>>;

/// A plugin in a host of its own.
pub(crate) struct TestRunner {
    host: PluginHost,
    plugin: Arc<Plugin>,
    key: RegimeKey,
    calls: CallReports,
}

/// What comes of a case: what the gateway would go on with, unless it fails.
enum Output {
    Value(Value),
    /// Nothing that can be expected: a sentence.
    Failure(String),
    /// The plugin misbehaved: the sentence for an operator.
    Broken(String),
    Skipped(String),
}

impl Output {
    fn of(value: &impl Serialize) -> Self {
        serde_json::to_value(value).map_or_else(|error| Self::Failure(error.to_string()), Self::Value)
    }
}

impl TestRunner {
    pub(crate) async fn open(file: &Path) -> Result<Self, Failure> {
        let calls = CallReports::default();
        let recorder = Arc::clone(&calls);
        let observer: Observer = Arc::new(move |call: &CallReport| {
            recorder.lock().unwrap_or_else(PoisonError::into_inner).push(call.clone());
        });
        let host = plugin_host(Some(observer))?;
        let name = file.file_name().unwrap_or_default().display();
        let doing = format!("Compiling {name} to machine code");
        let plugin =
            progress::report_progress_when_slow(&doing, &format!("Compiled {name}"), host.load_file(file))
                .await?;
        host.activate(&plugin);
        let key = plugin.identity().key.clone();
        Ok(Self { host, plugin, key, calls })
    }

    pub(crate) fn plugin(&self) -> &Plugin {
        &self.plugin
    }

    /// The golden cases that the plugin brings along.
    pub(crate) async fn samples(&self) -> Result<Vec<Sample>, ConverterError> {
        self.host.samples(&self.plugin).await
    }

    /// The structured document of an invoice, JSON.
    pub(crate) async fn structured(
        &self,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<String, ConverterError> {
        let converted = self.host.convert_for(&self.key, &Scope::Default, invoice, context).await?;
        Ok(converted.value.body)
    }

    /// What the plugin's authority does with a structured document.
    pub(crate) async fn submit(
        &self,
        submission: &AuthoritySubmission,
    ) -> Result<AuthorityOutcome, ConverterError> {
        self.host.submit(&self.key, None, submission).await
    }

    /// What the plugin's authority writes back; none at all of a plugin that does not say.
    pub(crate) async fn answers(
        &self,
        submission: &AuthoritySubmission,
        outcome: &AuthorityOutcome,
    ) -> Result<Vec<AuthorityAnswer>, ConverterError> {
        self.host.answers(&self.key, None, submission, outcome).await
    }

    /// Every case and every report of a folder, and every expectation that nothing belongs to.
    pub(crate) async fn check(&self, folder: &Folder, update: bool) -> Result<Vec<CaseResult>, Failure> {
        let environment = folder.environment()?;
        let mut results = Vec::new();
        for file in folder.cases()? {
            let output = self.convert_case(&file, &environment).with_subscriber(without_logs()).await;
            results.push(self.compare(&file, output, &folder.expected(), update)?);
        }
        if results.is_empty() {
            return Err(Failure::refused("there are no cases: write one as NAME.json into the folder cases"));
        }
        results.extend(orphaned_expectations(&folder.expected(), &results));
        let mut report_results = Vec::new();
        for file in folder.reports()? {
            let output = self.interpret_report(&file).with_subscriber(without_logs()).await;
            report_results.push(self.compare(&file, output, &folder.verdicts(), update)?);
        }
        results.extend(report_results);
        Ok(results)
    }

    /// What is made of a case against the file that says what is expected.
    fn compare(
        &self,
        case: &Path,
        output: Output,
        expected: &Path,
        update: bool,
    ) -> Result<CaseResult, Failure> {
        let name = case.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let file = expected.join(format!("{name}.json"));
        let before: Option<Value> = if file.is_file() { Some(folder::parse(&file)?) } else { None };
        let calls = std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner));
        let outcome = match (output, before) {
            // What the gateway tells an operator is told to the author by name of the place.
            (Output::Broken(why), _) => {
                let for_author = calls.iter().rev().find_map(|call| call.for_author.clone());
                CaseOutcome::Failed(for_author.unwrap_or(why))
            }
            (Output::Failure(why), _) => CaseOutcome::Failed(why),
            (Output::Skipped(why), _) => CaseOutcome::Skipped(why),
            (Output::Value(actual), Some(before)) if is_refusal(&actual) && !is_refusal(&before) => {
                let why = actual.pointer("/errors/0/message").and_then(Value::as_str).unwrap_or_default();
                let field = actual.pointer("/errors/0/field").and_then(Value::as_str).unwrap_or_default();
                CaseOutcome::Skipped(format!(
                    "the gateway refuses it before the plugin is asked: {field} {why}"
                ))
            }
            (Output::Value(actual), before) => {
                match before.map(|before| difference::between(&before, &actual)) {
                    Some(found) if found.is_empty() => CaseOutcome::Passed,
                    _ if update => {
                        write(&file, &actual)?;
                        CaseOutcome::Written
                    }
                    Some(found) => CaseOutcome::Differs(found),
                    None => CaseOutcome::Unexpected(actual),
                }
            }
        };
        let duration_max = calls.iter().map(|call| call.duration).max().unwrap_or_default();
        let memory_bytes = calls.iter().map(|call| call.memory_peak_bytes).max().unwrap_or_default();
        let last_stop = calls.iter().rfind(|call| !call.stopped_in.is_empty());
        let stopped_in = last_stop.map(|call| trace::functions(&call.stopped_in)).unwrap_or_default();
        let stderr = calls.into_iter().rev().find_map(|call| call.stderr);
        Ok(CaseResult { name, outcome, duration_max, memory_bytes, stopped_in, stderr })
    }

    async fn convert_case(&self, file: &Path, environment: &Environment) -> Output {
        let read = folder::parse::<Case>(file)
            .map_err(|failure| failure.to_string())
            .and_then(|case| case.read(environment, self.plugin.description()));
        match read {
            Err(why) => Output::Failure(why),
            Ok(CaseReading::Unsupported(why)) => Output::Skipped(why),
            Ok(CaseReading::Refused(errors)) => Output::of(&CaseErrors { errors }),
            Ok(CaseReading::Ready(ready)) => self.convert(&ready.0, &ready.1).await,
        }
    }

    /// As the gateway does it: a check before there is a number, then the conversion, whose figures are compared. Twice,
    /// because the same input has to give the same bytes.
    async fn convert(&self, invoice: &RegimeInvoice, context: &RegimeContext) -> Output {
        let unnumbered = RegimeInvoice { number: None, ..invoice.clone() };
        let checked = match self.host.check_for(&self.key, &Scope::Default, &unnumbered, context).await {
            Ok(report) => report.value,
            Err(error) => return converter_error(error),
        };
        let first = self
            .host
            .convert_for(&self.key, &Scope::Default, invoice, context)
            .await
            .map(|report| report.value);
        let second = self
            .host
            .convert_for(&self.key, &Scope::Default, invoice, context)
            .await
            .map(|report| report.value);
        if let (Ok(first), Ok(second)) = (&first, &second)
            && first.body != second.body
        {
            let why =
                "the same document converts to other bytes the second time: a plugin is a pure function";
            return Output::Failure(why.to_owned());
        }
        match first {
            Err(ConverterError::Faults(faults)) => Output::of(&CaseFaults { faults }),
            Err(error) => converter_error(error),
            Ok(_) if checked.iter().any(Fault::stops) => {
                let codes: Vec<_> =
                    checked.iter().filter(|fault| fault.stops()).map(|fault| &fault.code).collect();
                Output::Failure(format!("check refuses what convert takes: {codes:?}"))
            }
            Ok(document) => match sound(&invoice.totals, &document) {
                Err(fault) => Output::Failure(fault.message),
                Ok(()) => match serde_json::from_str(&document.body) {
                    Ok(value) => Output::Value(value),
                    Err(error) => {
                        let place = JsonError::new(&document.body, &error);
                        Output::Failure(format!("the document is no JSON: {place}"))
                    }
                },
            },
        }
    }

    async fn interpret_report(&self, file: &Path) -> Output {
        let report: ProviderReport = match folder::parse::<Report>(file) {
            Ok(report) => report.into(),
            Err(failure) => return Output::Failure(failure.to_string()),
        };
        match self.host.interpret_for(&self.key, &Scope::Default, &report).await {
            Ok(report) => Output::of(&report.value),
            Err(ConverterError::Faults(faults)) => Output::of(&CaseFaults { faults }),
            Err(error) => converter_error(error),
        }
    }
}

fn converter_error(error: ConverterError) -> Output {
    match error {
        ConverterError::Faults(faults) => Output::of(&CaseFaults { faults }),
        ConverterError::Broken(fault) => Output::Broken(fault.message),
        other => Output::Failure(other.to_string()),
    }
}

/// For what the plugin host logs of a case: its result says it.
pub(crate) fn without_logs() -> NoSubscriber {
    NoSubscriber::default()
}

/// Whether it is what the API answers to a document that no plugin hears of.
fn is_refusal(value: &Value) -> bool {
    value.get("errors").is_some_and(Value::is_array)
}

fn write(file: &Path, value: &Value) -> Result<(), Failure> {
    let refused = |error: std::io::Error| {
        Failure::refused(format!("{} cannot be written ({})", file.display(), unreadable(&error)))
    };
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(refused)?;
    }
    fs::write(file, serde_json::to_string_pretty(value)? + "\n").map_err(refused)
}

/// Expectations without a case.
fn orphaned_expectations(expected: &Path, results: &[CaseResult]) -> Vec<CaseResult> {
    let Ok(files) = folder::files(expected) else { return Vec::new() };
    let names = files.iter().filter_map(|file| Some(file.file_stem()?.to_string_lossy().into_owned()));
    names
        .filter(|name| !results.iter().any(|result| result.name == *name))
        .map(|name| CaseResult {
            outcome: CaseOutcome::Failed(
                "it is expected and there is no such case: remove the file".to_owned(),
            ),
            name,
            duration_max: Duration::ZERO,
            memory_bytes: 0,
            stopped_in: Vec::new(),
            stderr: None,
        })
        .collect()
}
