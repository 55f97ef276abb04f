//! Somebody hears of it when a submission waits for them, when it does no more, and when the authority accepted with errors.

use super::Submission;
use crate::Alert;
use gateway_domain::invoicing::{Invoice, State};
use gateway_domain_events::notices::{Notice, NoticeKind, NoticeSubject};

/// A submission as whoever changes it read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedVersion {
    /// Where it has another one by now, somebody else moved it.
    pub version: i64,
    /// Why somebody had to look.
    pub alert: Option<Alert>,
}

impl<P> From<&Submission<P>> for ExpectedVersion {
    fn from(read: &Submission<P>) -> Self {
        Self { version: read.version, alert: read.alert.clone() }
    }
}

impl ExpectedVersion {
    /// What is to be said of the submission that takes its place; nothing while it waits for the same reason.
    pub fn notice(&self, submission: &Submission) -> Option<Notice> {
        let document = submission.document;
        let (kind, alert, message) = match (&self.alert, &submission.alert) {
            (Some(before), Some(now)) if before.code == now.code => return None,
            (_, Some(now)) => (NoticeKind::SubmissionAlerted, now, now.message.clone()),
            (Some(before), None) => {
                let message = format!("nobody has to look any more; before, {}", before.message);
                (NoticeKind::SubmissionCleared, before, message)
            }
            (None, None) => return None,
        };
        let needs_retry = kind == NoticeKind::SubmissionAlerted && alert.code.is_mended_by_retry();
        let next = if needs_retry { "retry" } else { "show" };
        Some(Notice {
            kind,
            workspace: Some(submission.workspace),
            subject: NoticeSubject::Document { id: document, number: submission.data().number.cloned() },
            code: alert.code.as_str().to_owned(),
            message,
            next_command: format!("gateway submission {next} {document}"),
            since: submission.updated_at,
        })
    }
}

/// What is to be said of a document that was just accepted; nothing where the authority had no remarks.
pub fn errors_notice(document: &Invoice) -> Option<Notice> {
    let State::Issued { number, at, acceptance: Some(proof), .. } = &document.state else { return None };
    let first = proof.warnings.first()?;
    Some(Notice {
        kind: NoticeKind::AcceptedWithErrors,
        workspace: Some(document.workspace),
        subject: NoticeSubject::Document { id: document.id, number: Some(number.clone()) },
        code: first.code.clone(),
        message: proof.warnings.iter().map(|remark| remark.message.as_str()).collect::<Vec<_>>().join("; "),
        next_command: format!("gateway invoice show {}", document.id),
        since: *at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AlertCode;
    use gateway_domain::ids::{InvoiceId, WorkspaceId};
    use jiff::Timestamp;
    use uuid::Uuid;

    fn alerted(code: AlertCode, message: &str) -> Submission {
        let alert = Alert { code, message: message.to_owned() };
        Submission { alert: Some(alert), ..quiet() }
    }

    fn quiet() -> Submission {
        let (document, now) = (InvoiceId(Uuid::from_u128(7)), Timestamp::UNIX_EPOCH);
        Submission::requested(document, WorkspaceId(1), "john".to_owned(), now)
    }

    fn notice(before: &Submission, now: &Submission) -> Option<Notice> {
        ExpectedVersion::from(before).notice(now)
    }

    #[test]
    fn an_alert_is_noted_when_it_comes_and_when_it_goes_and_not_while_it_stays() {
        let away = alerted(AlertCode::RetriesExhausted, "the provider was away 10 times");
        let raised = notice(&quiet(), &away).unwrap();
        assert_eq!((raised.kind, raised.code.as_str()), (NoticeKind::SubmissionAlerted, "retriesExhausted"));
        assert_eq!(raised.next_command, format!("gateway submission retry {}", Uuid::from_u128(7)));
        let later = alerted(AlertCode::RetriesExhausted, "the provider was away 20 times");
        assert_eq!(notice(&away, &later), None);
        let other = alerted(AlertCode::RegimeNotActive, "the plugin is not active");
        let changed = notice(&away, &other).unwrap();
        assert_eq!((changed.kind, changed.code.as_str()), (NoticeKind::SubmissionAlerted, "regimeNotActive"));
        let cleared = notice(&away, &quiet()).unwrap();
        assert_eq!(
            (cleared.kind, cleared.code.as_str()),
            (NoticeKind::SubmissionCleared, "retriesExhausted")
        );
        assert!(cleared.next_command.starts_with("gateway submission show "), "{}", cleared.next_command);
        assert_eq!(notice(&quiet(), &quiet()), None);
    }
}
