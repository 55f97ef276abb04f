//! What an authority's codes come to, as reports and verdicts that `gateway plugin test` reads as well.
//!
//! The sandbox's authority is asked for every code, and what the provider would report of its answer is interpreted: each code
//! alone, and all that come to the same sort of verdict in one file, `reports/codes_<sort>.json` with
//! `verdicts/codes_<sort>.json`. They are made of the plugin's own table of codes, so that a code without a case is found.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use einvoice_plugin::harness::submission;
use einvoice_plugin::{Authority, Country, ProviderFault, ProviderResult, Stamp, Submission, Verdict};
use serde_json::{Value, json};

use super::files::{json_files, read};
use super::golden::{Suite, fault_json};
use super::text;

/// What the names of the files begin with.
const BEGIN: &str = "codes_";

/// What a code comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Refused,
    Remarked,
    Undecided,
}

impl Sort {
    const fn title(self) -> &'static str {
        match self {
            Self::Refused => "Every code that the authority refuses a document with.",
            Self::Remarked => "Every code that comes with a document the authority takes.",
            Self::Undecided => "Every code that comes before the authority decides.",
        }
    }

    fn file(self) -> String {
        let name = match self {
            Self::Refused => "refused",
            Self::Remarked => "remarked",
            Self::Undecided => "undecided",
        };
        format!("{BEGIN}{name}.json")
    }
}

impl<C: Country + Authority> Suite<C> {
    /// Each of these codes is answered with when a tester asks for it, with a sentence, and is interpreted as the answer means
    /// it; the files say so. `case` names a golden case that the authority takes.
    ///
    /// # Errors
    /// Says which code comes to something else, or which file differs; `UPDATE_GOLDEN=1` rewrites them.
    pub fn reports<S: AsRef<str>>(
        &self,
        case: &str,
        codes: impl IntoIterator<Item = S>,
    ) -> Result<(), String> {
        let document = self.documents()?.remove(case).ok_or_else(|| format!("there is no case {case}"))?.0;
        let mut reports: BTreeMap<Sort, ProviderResult> = BTreeMap::new();
        let mut requested = BTreeSet::new();
        for code in codes {
            let code = code.as_ref();
            if !requested.insert(code.to_owned()) {
                return Err(format!("{code} is listed twice"));
            }
            let (sort, report) = answered::<C>(&document.to_string(), code)?;
            match reports.get_mut(&sort) {
                Some(all) => all.faults.extend(report.faults),
                None => drop(reports.insert(sort, report)),
            }
        }
        self.compare_reports(&reports)
    }

    /// The codes that the table of `plugins/README.md` has for this system (duplicate, chain, unknown recipient, closed period,
    /// late filing) are among those that have a report.
    ///
    /// # Errors
    /// Says that the system has no row, or names the codes without a report.
    pub fn stated_codes(&self) -> Result<(), String> {
        let folder = self.folder();
        let guide = folder.join("../../../plugins/README.md");
        let guide = fs::read_to_string(&guide).map_err(|error| format!("{}: {error}", guide.display()))?;
        let key = C::describe().key;
        let begin = format!("| `{key}` | ");
        let row = guide.lines().find_map(|line| line.strip_prefix(&begin));
        let row = row.ok_or_else(|| format!("the table has no row of {key}"))?;
        let mut reported = BTreeSet::new();
        for file in json_files(&folder.join("reports"))? {
            let report = read(&file)?;
            let faults = report.get("faults").and_then(Value::as_array).cloned().unwrap_or_default();
            reported.extend(faults.iter().filter_map(|fault| text(fault, "code")));
        }
        // Every other part is between two backticks; the name of a member in it is no code.
        let codes = row.split('`').skip(1).step_by(2).filter(|code| !code.starts_with(char::is_lowercase));
        let without: Vec<_> = codes.filter(|code| !reported.contains(*code)).collect();
        if without.is_empty() { Ok(()) } else { Err(format!("no report has {}", without.join(", "))) }
    }

    fn compare_reports(&self, reports: &BTreeMap<Sort, ProviderResult>) -> Result<(), String> {
        let mut made = BTreeMap::new();
        for (sort, report) in reports {
            let verdict = C::interpret(report).map_err(|faults| format!("{sort:?}: {faults:?}"))?;
            made.insert(format!("reports/{}", sort.file()), report_json(*sort, report));
            made.insert(format!("verdicts/{}", sort.file()), verdict_json(&verdict));
        }
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            self.write_reports(&made).map_err(|error| error.to_string())?;
        }
        let folder = self.folder();
        let differs = |name: &&String| read(&folder.join(name)).ok().as_ref() != made.get(*name);
        let mut wrong: Vec<String> = made.keys().filter(differs).cloned().collect();
        for part in ["reports", "verdicts"] {
            let listed = fs::read_dir(folder.join(part)).into_iter().flatten().flatten();
            let names = listed.map(|file| format!("{part}/{}", file.file_name().to_string_lossy()));
            let begin = format!("{part}/{BEGIN}");
            wrong.extend(names.filter(|name| name.starts_with(&begin) && !made.contains_key(name)));
        }
        if wrong.is_empty() {
            return Ok(());
        }
        Err(format!("UPDATE_GOLDEN=1 rewrites these, if the codes are right: {}", wrong.join(", ")))
    }

    fn write_reports(&self, made: &BTreeMap<String, Value>) -> std::io::Result<()> {
        for (name, value) in made {
            let file = self.folder().join(name);
            if let Some(folder) = file.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(file, serde_json::to_string_pretty(value)? + "\n")?;
        }
        Ok(())
    }
}

/// What a code comes to, and the provider's report of it alone.
fn answered<C: Country + Authority>(document: &str, code: &str) -> Result<(Sort, ProviderResult), String> {
    let usual = submission(document, "2026-11-20T09:30:00+01:00");
    let outcome = C::submit(&Submission { forced_code: Some(code.to_owned()), ..usual })
        .map_err(|faults| format!("{code}: {faults:?}"))?;
    let of_code = |fault: &ProviderFault| fault.code.as_deref() == Some(code);
    let faults: Vec<_> = outcome.faults.into_iter().filter(of_code).collect();
    let said = faults.first().and_then(|fault| fault.message.as_deref()).unwrap_or_default();
    if faults.len() != 1 || said.is_empty() {
        return Err(format!("{code} is answered with {faults:?}"));
    }
    let (job, entry) = ("{}".to_owned(), "{}".to_owned());
    let report = ProviderResult { succeeded: outcome.accepted, faults, stamps: outcome.stamps, job, entry };
    let verdict = C::interpret(&report).map_err(|faults| format!("{code}: {faults:?}"))?;
    let sort = match &verdict {
        Verdict::Rejected(rejection) if rejection.code.as_deref() == Some(code) => Sort::Refused,
        Verdict::Accepted(acceptance) if acceptance.warnings.iter().any(|remark| remark.code == code) => {
            Sort::Remarked
        }
        Verdict::Undecided(why) if why.contains(code) => Sort::Undecided,
        Verdict::Rejected(_) | Verdict::Accepted(_) | Verdict::Undecided(_) => {
            return Err(format!("{code} becomes {verdict:?}"));
        }
    };
    if outcome.accepted != (sort == Sort::Remarked) {
        return Err(format!("{code} is {sort:?} by the verdict only"));
    }
    Ok((sort, report))
}

/// As `gateway plugin test` reads it.
fn report_json(sort: Sort, report: &ProviderResult) -> Value {
    let fault = |fault: &ProviderFault| json!({"provider": fault.provider, "code": fault.code, "message": fault.message, "paths": fault.paths});
    let stamp = |stamp: &Stamp| json!({"provider": stamp.provider, "value": stamp.value});
    json!({
        "title": sort.title(),
        "succeeded": report.succeeded,
        "faults": report.faults.iter().map(fault).collect::<Vec<_>>(),
        "stamps": report.stamps.iter().map(stamp).collect::<Vec<_>>(),
    })
}

/// As `gateway plugin test` prints it.
fn verdict_json(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Accepted(acceptance) => {
            let warnings = acceptance.warnings.iter();
            let warnings = warnings.map(|remark| json!({"code": remark.code, "message": remark.message}));
            json!({
                "verdict": "accepted",
                "qr_url": acceptance.qr_url,
                "tax_system_hash": acceptance.tax_system_hash,
                "warnings": warnings.collect::<Vec<_>>(),
            })
        }
        Verdict::Rejected(rejection) => json!({
            "verdict": "rejected",
            "code": rejection.code,
            "reason": rejection.reason,
            "faults": rejection.faults.iter().map(fault_json).collect::<Vec<_>>(),
        }),
        Verdict::Undecided(why) => json!({"verdict": "undecided", "reason": why}),
    }
}
