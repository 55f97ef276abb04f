//! Every way a submission can go, for tests: one step at a time, always with the same values.

use super::{Converting, Open, OpenStage, Progress, Requested, Submission, Uploading, Waiting};
use crate::{AcceptedVerdict, Alert, AlertCode, CallError, CallFailure, RejectedVerdict, Settlement};
use gateway_domain::fault::Fault;
use gateway_domain::ids::{EntryId, InvoiceId, ProviderJobId, WorkspaceId};
use gateway_domain::invoicing::{Acceptance, InvoiceNumber};
use gateway_domain::regime::{PluginRef, RegimeKey};
use jiff::Timestamp;
use uuid::Uuid;

/// When everything happens.
pub const NOW: Timestamp = Timestamp::constant(1_795_161_600, 250_000_000);

/// The submission of document `id`, as it begins.
pub fn requested(id: u128) -> Submission {
    Submission::requested(InvoiceId(Uuid::from_u128(id)), WorkspaceId(1), "jane".to_owned(), NOW)
}

/// Every submission that one step makes of this one.
pub fn next_steps(of: &Submission) -> Vec<Submission> {
    let (progress, rest) = of.clone().split();
    let mut next = match progress {
        Progress::Ended(_) => Vec::new(),
        Progress::Open(open) => {
            let mut next = changed(rest.clone().at(open.clone()));
            next.extend(stepped(rest, open));
            next
        }
    };
    next.push(of.clone().alerted(alert(AlertCode::AcceptedAfterAll)));
    if !matches!(of.progress, Progress::Open(Open { stage: OpenStage::Requested(_), .. })) {
        next.push(of.requested_again("john".to_owned(), NOW).into());
    }
    next
}

/// What may become of a submission in any stage that has something left to do.
fn changed(open: Submission<Open>) -> Vec<Submission> {
    let error = CallError { class: CallFailure::Unavailable, message: "no answer".to_owned(), at: NOW };
    let failed = open.clone().call_failed(error);
    vec![
        open.clone().hold_until(NOW).into(),
        failed.clone().repeated().into(),
        failed.alerted_with(AlertCode::RetriesExhausted),
        open.clone().repeated_remotely().into(),
        open.clone().retried().into(),
        open.superseded_by_hand().submission.into(),
    ]
}

impl Submission<Open> {
    fn alerted_with(self, code: AlertCode) -> Submission {
        Submission::from(self).alerted(alert(code))
    }
}

/// What the step of a stage may make of it.
fn stepped(rest: Submission<()>, Open { stage, calls }: Open) -> Vec<Submission> {
    match stage {
        OpenStage::Requested(stage) => {
            let of = rest.at(Open { stage, calls });
            let number = InvoiceNumber("F-1".to_owned());
            vec![
                of.clone().step(|stage| stage.numbered(number)).into(),
                of.clone().end(Requested::withdrawn).into(),
                of.end(Requested::superseded).into(),
            ]
        }
        OpenStage::Converting(stage) => {
            let of = rest.at(Open { stage, calls });
            let entry = of.open_stage().entry().unwrap_or_else(|| entry(1));
            let converted = |stage: Converting| stage.converted(entry, "{}".to_owned(), plugin(), job(1));
            vec![
                of.clone().step(converted).into(),
                of.clone().step(|stage| stage.unconvertible(Some(plugin()), job(2), rejection())).into(),
                of.clone().step(|stage| stage.unconvertible(None, job(2), rejection())).into(),
                of.end(Converting::superseded).into(),
            ]
        }
        OpenStage::Uploading(stage) if stage.check_earlier_attempts => {
            let of = rest.at(Open { stage, calls });
            vec![
                of.clone().step(Uploading::earlier_attempts_checked).into(),
                of.step(|stage| stage.accepted_before(job(3), acceptance())).into(),
            ]
        }
        OpenStage::Uploading(stage) => {
            let of = rest.at(Open { stage, calls });
            vec![
                of.clone().step(|stage| stage.uploaded("abc".to_owned())).into(),
                of.clone().step(|stage| stage.renewed(entry(2))).into(),
                of.step(|stage| stage.refused(rejection())).into(),
            ]
        }
        OpenStage::Starting(stage) => {
            vec![rest.at(Open { stage, calls }).step(|stage| stage.started(NOW)).into()]
        }
        OpenStage::Waiting(stage) => {
            let of = rest.at(Open { stage, calls });
            let failed = Submission::from(of.clone()).alerted(alert(AlertCode::FailedWithoutReason));
            vec![
                of.clone().step(|stage| stage.running_since(NOW)).into(),
                of.clone().step(Waiting::lost).into(),
                of.clone().step(|stage| stage.with_verdict(Settlement::Accept(acceptance()))).into(),
                of.clone().step(|stage| stage.with_verdict(Settlement::Reject(rejection()))).into(),
                Submission::from(of.map(Waiting::never_sent)).alerted(alert(AlertCode::VerdictUndecided)),
                failed,
            ]
        }
        OpenStage::Unsent(stage) => vec![rest.at(Open { stage, calls }).step(super::Unsent::retried).into()],
        OpenStage::Settling(stage) => {
            let of = rest.at(Open { stage, calls });
            vec![of.clone().settled().submission.into(), of.superseded().submission.into()]
        }
    }
}

fn alert(code: AlertCode) -> Alert {
    Alert { code, message: "look at it".to_owned() }
}

fn acceptance() -> AcceptedVerdict {
    let acceptance = Acceptance {
        qr_url: Some("https://example.com/1".to_owned()),
        tax_system_hash: None,
        accepted_at: NOW,
        warnings: Vec::new(),
        sandbox: false,
    };
    AcceptedVerdict { acceptance, left_out: vec!["a stamp".to_owned()] }
}

fn rejection() -> RejectedVerdict {
    let faults = vec![Fault::error("NIF-01", "/customer", "is nobody")];
    RejectedVerdict { reason: "NIF-01".to_owned(), faults, left_out: Vec::new() }
}

const fn version7(low: u128) -> Uuid {
    Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 | low)
}

#[expect(clippy::expect_used, reason = "the identifier is of version 7")]
fn entry(low: u128) -> EntryId {
    EntryId::try_from(version7(low)).expect("version 7")
}

#[expect(clippy::expect_used, reason = "the identifier is of version 7")]
fn job(low: u128) -> ProviderJobId {
    ProviderJobId::try_from(version7(low)).expect("version 7")
}

#[expect(clippy::expect_used, reason = "the key is one")]
fn plugin() -> PluginRef {
    let key = RegimeKey::try_from("es-verifactu".to_owned()).expect("a key");
    PluginRef { key, version: "1.0.0".to_owned(), digest: "abc".to_owned() }
}
