//! Which rule sets hold for a document, and what a dry run tells of those to come.

use crate::ports::{ComingRules, DueVersion, ServingVersion};
use crate::*;
use async_trait::async_trait;
use gateway_domain::fault::Fault;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Content, DocumentKind, Ext, Invoice, State, Totals};
use gateway_domain::ports::{ConverterError, ServedDocument};
use gateway_domain::regime::{
    PluginRef, RegimeContext, RegimeDocumentKind, RegimeInvoice, RegimeKey, Supplier,
};
use jiff::civil::Date;
use jiff::{Timestamp, Zoned};
use serde_json::json;
use std::sync::Mutex;
use uuid::Uuid;

const NOW: &str = "2026-11-20T09:30:00+01:00[Europe/Madrid]";

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

fn zoned(text: &str) -> Zoned {
    text.parse().unwrap()
}

fn parts(id: &str, from: &str, until: Option<&str>) -> RuleSetParts {
    RuleSetParts {
        id: id.to_owned(),
        kind: RuleKind::Rates,
        summary: "The rate changes (act 1/2026).".to_owned(),
        from: from.to_owned(),
        until: until.map(str::to_owned),
        decided_by: DecidingDate::Operation,
    }
}

fn rule_set(id: &str, from: &str, until: Option<&str>) -> RuleSet {
    RuleSet::try_from(parts(id, from, until)).unwrap()
}

/// A document that names these days, or none.
fn draft(issue: Option<&str>, operation: Option<&str>) -> Draft {
    let content = Content {
        document_type: DocumentKind::Invoice,
        currency: "EUR".to_owned(),
        booking_id: None,
        issue_date: issue.map(day),
        operation_date: operation.map(day),
        prices_include_tax: true,
        recipient: None,
        lines: Vec::new(),
        retentions: Vec::new(),
        referenced_document_ids: Vec::new(),
        notes: None,
        payment: None,
        ext: Ext::new(),
    };
    let (now, totals) = (zoned(NOW), Totals::of(&content).unwrap());
    let id = InvoiceId(Uuid::from_u128(1));
    let invoice = RegimeInvoice::of(id, &content, &totals, None, Vec::new(), now.date()).unwrap();
    let at = now.timestamp();
    let document = Invoice {
        id,
        workspace: WorkspaceId(1),
        totals,
        content,
        state: State::Draft,
        send_to_tax_authority: false,
        version: 1,
        created_at: at,
        updated_at: at,
    };
    let supplier = Supplier {
        legal_name: "Provide One S.L.".to_owned(),
        tax_id: "B98602642".to_owned(),
        country: "ES".to_owned(),
        address: None,
        email: None,
    };
    let regime_context = RegimeContext { now, settings: json!({}), supplier, company_id: String::new() };
    Draft::of(&document, ("xx".parse().unwrap(), invoice, regime_context))
}

fn plugin(version: &str) -> PluginRef {
    PluginRef { key: "xx".parse().unwrap(), version: version.to_owned(), digest: "0".repeat(64) }
}

/// Version 1 is in force, 2 may be scheduled; what each says depends on the day of issue.
#[derive(Debug, Default)]
struct Plugins {
    rule_sets: Vec<RuleSet>,
    due: Option<Timestamp>,
    /// What the first version refuses from a day on.
    first: Vec<(Date, Fault)>,
    /// The same of the second.
    second: Vec<(Date, Fault)>,
    /// The second one traps.
    traps: bool,
    takes_nothing: bool,
    /// The days as of which somebody asked, in order.
    days: Mutex<Vec<String>>,
}

impl Plugins {
    fn is_second(&self, at: Timestamp) -> bool {
        self.due.is_some_and(|due| due <= at)
    }
}

#[async_trait]
impl ComingRules for Plugins {
    fn version_at(&self, _: &ServedDocument, _: &RegimeKey, at: Timestamp) -> Option<ServingVersion> {
        let kinds = if self.takes_nothing { Vec::new() } else { vec![RegimeDocumentKind::SimplifiedInvoice] };
        let version = if self.is_second(at) { "2.0.0" } else { "1.0.0" };
        Some(ServingVersion { plugin: plugin(version), kinds, rule_sets: self.rule_sets.clone().into() })
    }

    fn due_versions(&self, _: WorkspaceId, _: &RegimeKey) -> Vec<DueVersion> {
        self.due.into_iter().map(|at| DueVersion { at, plugin: plugin("2.0.0") }).collect()
    }

    async fn check_at(
        &self,
        _: &ServedDocument,
        (_, at): (&RegimeKey, Timestamp),
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<Vec<Fault>, ConverterError> {
        assert_eq!(context.now.timestamp(), at);
        self.days.lock().unwrap().push(invoice.issue_date.to_string());
        if self.is_second(at) && self.traps {
            return Err(ConverterError::Broken(Fault::error("PLUGIN-TRAP", "", "xx 2.0.0 gave up.")));
        }
        let table = if self.is_second(at) { &self.second } else { &self.first };
        let holding = table.iter().filter(|(from, _)| *from <= invoice.issue_date);
        Ok(holding.map(|(_, fault)| fault.clone()).collect())
    }
}

fn refusal(code: &str, path: &str) -> Fault {
    Fault::error(code, path, "Use another rate.")
}

async fn ahead(plugins: &Plugins, draft: &Draft, today: &[Fault]) -> Vec<(String, String, String)> {
    let warnings = warnings_ahead(plugins, draft, today).await;
    assert!(warnings.iter().all(|warning| !warning.stops()));
    warnings.into_iter().map(|Fault { code, path, message, .. }| (code, path, message)).collect()
}

#[test]
fn a_rule_set_is_a_name_a_sentence_and_days_in_their_order() {
    assert!(RuleSet::try_from(parts("rates-2027", "2027-01-01", Some("2027-01-01"))).is_ok());
    let long = "x".repeat(65);
    for id in ["", "Rates", "a b", "ñ", long.as_str()] {
        assert!(matches!(RuleSet::try_from(parts(id, "2027-01-01", None)), Err(NotARuleSet::Id(_))), "{id}");
    }
    for wrong in ["", "tomorrow", "2027-13-01", "2027-02-29", "20270101", "2027-01-01T00:00:00Z", "1.1.2027"]
    {
        let of_day = |error| matches!(error, Err(NotARuleSet::Day { .. }));
        assert!(of_day(RuleSet::try_from(parts("r", wrong, None))), "{wrong}");
        assert!(of_day(RuleSet::try_from(parts("r", "2020-01-01", Some(wrong)))), "{wrong}");
    }
    let backwards = RuleSet::try_from(parts("r", "2027-01-02", Some("2027-01-01")));
    assert_eq!(backwards, Err(NotARuleSet::Backwards("r".to_owned())));
    for summary in ["", "  ", "two\nlines", &"x".repeat(301)] {
        let wrong = RuleSetParts { summary: summary.to_owned(), ..parts("r", "2027-01-01", None) };
        assert_eq!(RuleSet::try_from(wrong), Err(NotARuleSet::Summary("r".to_owned())));
    }
    let twice = vec![rule_set("r", "2027-01-01", None), rule_set("r", "2028-01-01", None)];
    assert_eq!(unique(twice), Err(NotARuleSet::Twice("r".to_owned())));
}

#[test]
fn a_rule_set_is_written_with_its_days() {
    let written = serde_json::to_value(rule_set("rates-2027", "2027-01-01", None)).unwrap();
    let expected = json!({"id": "rates-2027", "kind": "rates", "summary": "The rate changes (act 1/2026).",
        "from": "2027-01-01", "until": null, "decided_by": "operation"});
    assert_eq!(written, expected);
}

#[test]
fn the_law_names_the_day_by_which_rules_are_picked() {
    let by = |decided_by| RuleSet { decided_by, ..rule_set("r", "2027-01-01", Some("2027-12-31")) };
    for (issue, operation, by_issue, by_operation) in [
        ("2027-01-01", None, true, true),
        ("2026-12-31", None, false, false),
        ("2027-01-05", Some("2026-12-31"), true, false),
        ("2026-12-31", Some("2027-01-05"), false, true),
        ("2027-12-31", Some("2028-01-01"), true, false),
        ("2028-01-01", Some("2027-12-31"), false, true),
    ] {
        let dates = DocumentDates { issue: day(issue), operation: operation.map(day) };
        let applies =
            (by(DecidingDate::Issue).applies_to(dates), by(DecidingDate::Operation).applies_to(dates));
        assert_eq!(applies, (by_issue, by_operation), "{issue} {operation:?}");
    }
}

#[test]
fn moments_are_those_that_change_something_for_the_draft() {
    let names = |plugins: &Plugins, draft: &Draft| -> Vec<String> {
        let found = moments(plugins, draft);
        found.iter().map(|moment| format!("{} {}", moment.at.date(), moment.causes.join("; "))).collect()
    };
    let due = Some("2026-12-31T23:00:00Z".parse().unwrap());
    let rule_sets = vec![
        rule_set("over", "2020-01-01", Some("2026-11-19")),
        rule_set("begins", "2027-01-01", None),
        rule_set("ends", "2020-01-01", Some("2026-12-31")),
        rule_set("today", "2026-11-20", None),
        rule_set("last-day", "2027-01-19", None),
        rule_set("too-far", "2027-01-20", None),
    ];
    let plugins = Plugins { rule_sets, due, ..Plugins::default() };
    let usual = [
        "2027-01-01 xx@2.0.0 comes in force; the rules begins begin; the rules ends end",
        "2027-01-19 the rules last-day begin",
    ];
    assert_eq!(names(&plugins, &draft(None, None)), usual);
    // The operation was before, whenever the document is issued: only the version counts.
    assert_eq!(names(&plugins, &draft(None, Some("2026-11-01"))), ["2027-01-01 xx@2.0.0 comes in force"]);
    assert_eq!(names(&plugins, &draft(Some("2026-11-20"), None)), ["2027-01-01 xx@2.0.0 comes in force"]);
    let many = (1..=9).map(|n| rule_set(&format!("r{n}"), &format!("2026-12-0{n}"), None)).collect();
    let plugins = Plugins { rule_sets: many, ..Plugins::default() };
    assert_eq!(names(&plugins, &draft(None, None)).len(), 4, "the nearest");
}

#[tokio::test]
async fn a_dry_run_tells_what_will_be_refused_and_is_not_today() {
    let first = vec![
        (day("2020-01-01"), refusal("XX-01", "/lines/0/tax")),
        (day("2020-01-01"), Fault::warning("XX-02", "/lines/0/tax", "Perhaps.")),
        (day("2027-01-01"), refusal("XX-02", "/lines/0/tax")),
        (day("2027-01-01"), refusal("XX-01", "/lines/1/tax")),
        (day("2027-01-01"), Fault::warning("XX-03", "", "Perhaps.")),
    ];
    let rule_sets = vec![rule_set("rates-2027", "2027-01-01", None), rule_set("later", "2027-01-10", None)];
    let plugins = Plugins { rule_sets, first, ..Plugins::default() };
    let draft = draft(None, None);
    let today = [refusal("XX-01", "/lines/0/tax"), Fault::warning("XX-02", "/lines/0/tax", "Perhaps.")];
    let warnings = ahead(&plugins, &draft, &today).await;
    let message = |code: &str| {
        format!(
            "It will be refused from 2027-01-01 on, when the rules rates-2027 begin ({code}): Use another rate."
        )
    };
    let coming = |code: &str, path: &str| (RULES_COMING.to_owned(), path.to_owned(), message(code));
    assert_eq!(warnings, [coming("XX-02", "/lines/0/tax"), coming("XX-01", "/lines/1/tax")]);
    assert_eq!(*plugins.days.lock().unwrap(), ["2027-01-01", "2027-01-10"], "and told once");
    assert_eq!(
        outcome_at(&plugins, &draft, &zoned("2026-12-31T23:59:59+01:00[Europe/Madrid]")).await,
        DraftOutcome::Unchanged
    );
}

#[tokio::test]
async fn a_version_that_fails_is_told_of_and_ends_the_look_ahead() {
    let due = Some("2026-12-31T23:00:00Z".parse().unwrap());
    let rule_sets = vec![rule_set("later", "2027-01-10", None)];
    let plugins = Plugins { rule_sets, due, traps: true, ..Plugins::default() };
    let warnings = ahead(&plugins, &draft(None, None), &[]).await;
    let sentence = "Nobody could say what will be refused from 2027-01-01 on, when xx@2.0.0 comes in force: xx 2.0.0 gave up.";
    assert_eq!(warnings, [(RULES_UNCHECKED.to_owned(), String::new(), sentence.to_owned())]);
    assert_eq!(plugins.days.lock().unwrap().len(), 1);
    let at = zoned("2027-01-01T23:59:59+01:00[Europe/Madrid]");
    let outcome = outcome_at(&plugins, &draft(None, None), &at).await;
    assert_eq!(outcome, DraftOutcome::Unchecked("xx 2.0.0 gave up.".to_owned()));
}

#[tokio::test]
async fn what_goes_to_nobody_is_not_checked_and_a_flood_is_cut() {
    let second: Vec<_> =
        (0..100).map(|line| (day("2020-01-01"), refusal("XX-01", &format!("/lines/{line}")))).collect();
    let due = Some("2026-12-31T23:00:00Z".parse().unwrap());
    let plugins = Plugins { second, due, takes_nothing: true, ..Plugins::default() };
    assert_eq!(ahead(&plugins, &draft(None, None), &[]).await, []);
    assert!(plugins.days.lock().unwrap().is_empty());
    let plugins = Plugins { takes_nothing: false, ..plugins };
    assert_eq!(ahead(&plugins, &draft(None, None), &[]).await.len(), WARNINGS_MAX);
}

#[tokio::test]
async fn a_day_that_the_draft_names_stays_whenever_it_is_issued() {
    let first = vec![(day("2027-01-01"), refusal("XX-01", "/lines/0/tax"))];
    let plugins = Plugins { first, ..Plugins::default() };
    let at = zoned("2027-01-01T23:59:59+01:00[Europe/Madrid]");
    let moved = outcome_at(&plugins, &draft(None, None), &at).await;
    assert_eq!(moved, DraftOutcome::Refused(vec![refusal("XX-01", "/lines/0/tax")]));
    let stays = outcome_at(&plugins, &draft(Some("2026-11-20"), None), &at).await;
    assert_eq!(stays, DraftOutcome::Unchanged);
    assert_eq!(*plugins.days.lock().unwrap(), ["2026-11-20", "2027-01-01", "2026-11-20", "2026-11-20"]);
}
