//! Somebody hears of it when a submission waits for them, and when it does no more.

use super::{Expected, Recorder};
use gateway_domain::StoreError;
use gateway_domain::invoicing::{Invoice, State};
use gateway_domain_events::notices::{Notice, NoticeKind, NoticeSubject};
use gateway_domain_finance::{Alert, Submission};
use gateway_events::append_notice;
use gateway_storage::{Tx, submissions};

impl Recorder {
    /// Stores a submission, with a notice where its alert is another one than before; `false` when somebody else moved it.
    pub(crate) async fn update(
        &self,
        tx: &mut Tx,
        expected: &Expected,
        submission: &Submission,
    ) -> Result<bool, StoreError> {
        if !submissions::update(tx, submission).await? {
            return Ok(false);
        }
        if let Some(notice) = notice(expected.alert.as_ref(), submission) {
            append_notice(tx, self.context.ids(), self.context.now(), &notice).await?;
        }
        Ok(true)
    }
}

impl Recorder {
    /// Somebody hears of a document that the authority accepted with errors.
    pub(super) async fn note_errors(&self, tx: &mut Tx, document: &Invoice) -> Result<(), StoreError> {
        let Some(notice) = of_errors(document) else { return Ok(()) };
        append_notice(tx, self.context.ids(), self.context.now(), &notice).await
    }
}

/// What is to be said of a document that was just accepted; nothing where the authority had no remarks.
fn of_errors(document: &Invoice) -> Option<Notice> {
    let State::Issued { number, at, acceptance: Some(proof) } = &document.state else { return None };
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

/// What is to be said of a submission that has just changed; nothing while it waits for the same reason.
fn notice(before: Option<&Alert>, submission: &Submission) -> Option<Notice> {
    let document = submission.document;
    let (kind, alert, message) = match (before, submission.alert.as_ref()) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_domain::ids::{InvoiceId, WorkspaceId};
    use gateway_domain_finance::AlertCode;
    use jiff::Timestamp;
    use uuid::Uuid;

    fn alert(code: AlertCode, message: &str) -> Alert {
        Alert { code, message: message.to_owned() }
    }

    fn submission(alert: Option<Alert>) -> Submission {
        let (document, now) = (InvoiceId(Uuid::from_u128(7)), Timestamp::UNIX_EPOCH);
        let requested = Submission::requested(document, WorkspaceId(1), "john".to_owned(), now);
        Submission { alert, ..requested }
    }

    #[test]
    fn an_alert_is_noted_when_it_comes_and_when_it_goes_and_not_while_it_stays() {
        let away = || alert(AlertCode::RetriesExhausted, "the provider was away 10 times");
        let raised = notice(None, &submission(Some(away()))).unwrap();
        assert_eq!((raised.kind, raised.code.as_str()), (NoticeKind::SubmissionAlerted, "retriesExhausted"));
        assert_eq!(raised.next_command, format!("gateway submission retry {}", Uuid::from_u128(7)));
        let later = alert(AlertCode::RetriesExhausted, "the provider was away 20 times");
        assert_eq!(notice(Some(&away()), &submission(Some(later))), None);
        let other = alert(AlertCode::RegimeNotActive, "the plugin is not active");
        let changed = notice(Some(&away()), &submission(Some(other))).unwrap();
        assert_eq!((changed.kind, changed.code.as_str()), (NoticeKind::SubmissionAlerted, "regimeNotActive"));
        let cleared = notice(Some(&away()), &submission(None)).unwrap();
        assert_eq!(
            (cleared.kind, cleared.code.as_str()),
            (NoticeKind::SubmissionCleared, "retriesExhausted")
        );
        assert!(cleared.next_command.starts_with("gateway submission show "), "{}", cleared.next_command);
        assert_eq!(notice(None, &submission(None)), None);
    }
}
