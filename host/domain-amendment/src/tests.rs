//! Which documents take an amendment, and what is said of those that do not.

use crate::*;
use gateway_domain::invoicing::{Invoice, State, Totals};
use gateway_domain::regime::{AmendDescription, PathPattern};
use gateway_domain_finance::testing::{NOW, requested};
use gateway_domain_finance::{
    AcceptedVerdict, CurrentAttempt, EndedStage, Progress, RejectedVerdict, Stage, Submission, Superseded,
};
use gateway_domain_input::document::{DocumentForm, TaxCheck};
use serde_json::{Value, json};
use uuid::Uuid;

fn attempt() -> CurrentAttempt {
    let id = |last: u128| Uuid::from_u128(0x7000_8000_0000_0000_0000 | last);
    CurrentAttempt {
        number: InvoiceNumber("F-2026-000001".to_owned()),
        job: ProviderJobId::try_from(id(1)).unwrap(),
        plugin: Some(PluginRef {
            key: "es-verifactu".parse().unwrap(),
            version: "0.1.0".to_owned(),
            digest: "0".repeat(64),
        }),
        document: Some(EntryDocument {
            entry: EntryId::try_from(id(2)).unwrap(),
            is_renewed: true,
            digest: None,
            structured: r#"{"code":"F-2026-000001"}"#.into(),
        }),
        taken_at: Some(NOW),
    }
}

fn submission(ended: EndedStage) -> Submission {
    Submission { progress: Progress::Ended(ended), ..requested(1) }
}

fn accepted() -> Submission {
    let verdict = AcceptedVerdict { acceptance: acceptance(), left_out: Vec::new() };
    submission(EndedStage::Accepted { attempt: attempt(), verdict })
}

fn by_hand() -> Submission {
    submission(EndedStage::Superseded(Superseded::Attempted { attempt: attempt(), late: None }))
}

fn form(change: &Value) -> Content {
    let mut form = json!({"workspace_id": 1, "document_type": "invoice", "currency": "EUR", "prices_include_tax": true,
        "issue_date": "2026-11-20", "recipient": {"type": "individual", "name": "Jane Roe"},
        "lines": [{"description": "Night", "quantity": "1", "unit_price": "10", "tax": {"category": "VAT", "rate": "10"}}]});
    for (pointer, value) in change.as_object().unwrap() {
        if let Some(member) = form.pointer_mut(pointer) {
            *member = value.clone();
        } else {
            form[pointer.trim_start_matches('/')] = value.clone();
        }
    }
    let form: DocumentForm = serde_json::from_value(form).unwrap();
    form.check(TaxCheck::Syntax).unwrap()
}

fn document(submission: &Submission) -> Invoice {
    let content = form(&json!({}));
    let number = submission.number().unwrap().clone();
    Invoice {
        id: submission.document,
        workspace: submission.workspace,
        totals: Totals::of(&content).unwrap(),
        content,
        state: State::Issued { number, at: NOW, acceptance: Some(acceptance()), imported: None },
        send_to_tax_authority: true,
        version: 3,
        created_at: NOW,
        updated_at: NOW,
    }
}

fn acceptance() -> Acceptance {
    Acceptance { qr_url: None, tax_system_hash: None, accepted_at: NOW, warnings: Vec::new(), sandbox: false }
}

fn amendable(paths: &[&str]) -> AmendDescription {
    let pattern = |path: &&str| PathPattern::try_from((*path).to_owned()).unwrap();
    AmendDescription { allowed_paths: paths.iter().map(pattern).collect(), demands: Vec::new() }
}

fn decided(document: &Invoice, change: &Value, allowed: &[&str]) -> Result<Vec<String>, Vec<String>> {
    let (submission, amendable, content) = (accepted(), amendable(allowed), form(change));
    let totals = Totals::of(&content).unwrap();
    let changes = changed_members(&document.content, &content).unwrap();
    let facts = AmendmentFacts {
        document,
        totals: &totals,
        changes: &changes,
        amendable: Some(&amendable),
        submission: Some(&submission),
        is_under_way: false,
    };
    let field = |error: gateway_domain::FieldError| format!("{} {}", error.code, error.field);
    decide_amendment(facts)
        .map(|target| target.changes)
        .map_err(|refused| refused.errors().into_iter().map(field).collect())
}

#[test]
fn what_the_tax_system_allows_is_amended_and_every_other_change_is_named() {
    let document = document(&accepted());
    let (name, night) = (json!({"/recipient/name": "Joan Roe"}), json!({"/lines/0/description": "Day"}));
    let allowed = ["/recipient/name", "/lines/*/description", "/notes"];
    assert_eq!(decided(&document, &name, &allowed).unwrap(), ["/recipient/name"]);
    assert_eq!(decided(&document, &night, &allowed).unwrap(), ["/lines/0/description"]);
    for (change, refused) in [
        (json!({}), &["amendUnchanged base"][..]),
        (
            json!({"/lines/0/quantity": "2", "/recipient/name": "Joan", "/operation_date": "2026-11-19"}),
            &["amendPathRefused lines[0].quantity", "amendPathRefused operation_date"],
        ),
        (json!({"/recipient": null}), &["amendPathRefused recipient"]),
        (json!({"/lines": []}), &["amendPathRefused lines"]),
    ] {
        let mut found = decided(&document, &change, &allowed).unwrap_err();
        found.sort();
        assert_eq!(found, refused, "{change}");
    }
}

#[test]
fn figures_and_what_a_record_is_known_by_never_change_whatever_a_plugin_says() {
    let document = document(&accepted());
    let everything = ["/lines", "/issue_date", "/currency", "/document_type", "/notes"];
    for (change, refused) in [
        (json!({"/lines/0/unit_price": "11"}), "amendPathRefused totals"),
        (json!({"/issue_date": "2026-11-19"}), "amendPathRefused issue_date"),
        (json!({"/document_type": "credit_note"}), "amendPathRefused document_type"),
    ] {
        assert_eq!(decided(&document, &change, &everything).unwrap_err(), [refused]);
    }
}

#[test]
fn every_refusal_names_the_way_to_go() {
    for (path, way) in [
        ("/lines/0/quantity", WayToGo::Credit),
        ("/totals", WayToGo::CorrectiveInvoice),
        ("/retentions", WayToGo::Credit),
        ("/recipient/tax_number", WayToGo::Reverse),
        ("/issue_date", WayToGo::CorrectiveInvoice),
    ] {
        assert_eq!(WayToGo::of(path), way, "{path}");
        assert!(!way.sentence().is_empty());
    }
}

#[test]
fn only_a_record_that_the_authority_accepted_through_the_provider_is_amended() {
    let accepted = accepted();
    let issued = document(&accepted);
    let (content, amendable) = (form(&json!({"/notes": "Late"})), amendable(&["/notes"]));
    let totals = Totals::of(&content).unwrap();
    let number = accepted.number().unwrap().clone();
    let changes = changed_members(&issued.content, &content).unwrap();
    let decide = |state: &State, submission: Option<&Submission>, offered: bool, is_under_way: bool| {
        let document = Invoice { state: state.clone(), ..issued.clone() };
        let facts = AmendmentFacts {
            document: &document,
            totals: &totals,
            changes: &changes,
            amendable: offered.then_some(&amendable),
            submission,
            is_under_way,
        };
        decide_amendment(facts).map(|target| target.job).map_err(|refused| refused.code().as_str())
    };
    let state = |acceptance| State::Issued { number: number.clone(), at: NOW, acceptance, imported: None };
    let (proven, standard) = (state(Some(acceptance())), state(None));
    let issuing = State::Issuing { number: number.clone(), since: NOW };
    let rejected = State::Rejected { number: number.clone(), at: NOW, reason: "because".to_owned() };
    assert_eq!(decide(&proven, Some(&accepted), true, false), Ok(accepted.job().unwrap()));
    assert_eq!(decide(&proven, Some(&accepted), true, true), Err("amendUnderWay"));
    assert_eq!(decide(&proven, Some(&accepted), false, false), Err("amendNotOffered"));
    assert_eq!(decide(&proven, Some(&by_hand()), true, false), Err("amendNotOffered"));
    assert_eq!(decide(&proven, None, true, false), Err("amendNotOffered"));
    assert_eq!(decide(&standard, None, true, false), Err("amendNotOffered"));
    assert_eq!(decide(&issuing, Some(&accepted), true, false), Err("documentLockedWhileIssuing"));
    assert_eq!(decide(&rejected, Some(&accepted), true, false), Err("documentNotIssued"));
    assert_eq!(decide(&State::Draft, None, true, false), Err("documentNotIssued"));
    let withdrawn = |state: &State, open: Option<Amendment>| {
        let document = Invoice { state: state.clone(), ..issued.clone() };
        decide_withdrawal(&document, open, NOW)
            .map(|withdrawn| withdrawn.progress.state().as_str())
            .map_err(|refused| refused.code().as_str())
    };
    assert_eq!(withdrawn(&proven, Some(amendment())), Ok("withdrawn"));
    assert_eq!(withdrawn(&proven, None), Err("amendmentNotWaiting"));
    assert_eq!(withdrawn(&issuing, None), Err("documentLockedWhileIssuing"));
    assert_eq!(withdrawn(&State::Draft, None), Err("documentNotIssued"));
}

fn amendment() -> Amendment {
    let submission = accepted();
    let data = submission.data();
    let (job, document) = (data.job.unwrap(), data.document.unwrap());
    Amendment {
        id: AmendmentId(Uuid::from_u128(7)),
        document: submission.document,
        workspace: submission.workspace,
        ordinal: 2,
        number: data.number.unwrap().clone(),
        changes: vec!["/notes".to_owned()],
        content: form(&json!({"/notes": "Late"})),
        replaced: ReplacedRecord {
            job,
            content: form(&json!({})),
            acceptance: acceptance(),
            stamps: Vec::new(),
            structured: document.structured.to_string(),
        },
        filing: AmendmentFiling {
            job,
            entry: document.entry,
            plugin: data.plugin.unwrap().clone(),
            structured: "{}".to_owned(),
            digest: None,
        },
        progress: AmendmentProgress::Open(OpenAmendment::at(AmendmentStage::Uploading)),
        actor: "jane".to_owned(),
        version: 1,
        created_at: NOW,
        updated_at: NOW,
    }
}

#[test]
fn an_amendment_on_its_way_is_withdrawn_only_while_it_waits_for_somebody() {
    let sent = amendment().uploaded("0".repeat(64), NOW);
    assert!(amendment().withdrawn(NOW).is_some(), "nothing of it left the gateway");
    assert!(sent.clone().withdrawn(NOW).is_none());
    let waiting = sent.reached(AmendmentStage::Waiting { taken_at: NOW }, NOW);
    assert!(waiting.clone().withdrawn(NOW).is_none());
    let stuck = waiting.delayed("nobody answers".to_owned(), NOW);
    let withdrawn = stuck.withdrawn(NOW).unwrap();
    assert_eq!(withdrawn.progress.state(), AmendmentState::Withdrawn);
    assert!(withdrawn.withdrawn(NOW).is_none());
}

#[test]
fn a_refused_amendment_ends_its_attempt_and_an_accepted_one_becomes_what_the_submission_is_about() {
    let refused = amendment().refused(RejectedVerdict::of("es-verifactu", Vec::new()), NOW);
    assert!(refused.open().is_none() && refused.attempt_end().is_some());
    let verdict = AcceptedVerdict { acceptance: acceptance(), left_out: Vec::new() };
    let filing = || amendment().filing.attempt();
    let amended = accepted().amended(filing(), Some(NOW), verdict.clone(), Vec::new(), NOW).unwrap();
    assert_eq!(amended.data().document.unwrap().structured.as_ref(), "{}");
    assert_eq!(amended.stage(), Stage::Accepted);
    let rejected = submission(EndedStage::Rejected {
        attempt: attempt(),
        verdict: RejectedVerdict::of("es-verifactu", Vec::new()),
    });
    assert!(rejected.amended(filing(), None, verdict, Vec::new(), NOW).is_none());
}
