//! Filings whose time runs out.

use gateway_domain::StoreError;
use gateway_domain::ports::Ids;
use gateway_domain_deadline::FilingDeadline;
use gateway_domain_events::notices::{Notice, NoticeKind, NoticeSubject};
use gateway_events::append_notice;
use gateway_storage::Tx;
use gateway_storage::filing_deadlines::{self, ToTell};
use jiff::Timestamp;

/// The time runs out.
const DUE_SOON: &str = "dueSoon";
/// It has run out.
const OVERDUE: &str = "overdue";

/// Tells of every limit once, in the round that finds it; what has ended is only taken off the list.
pub(super) async fn notify(
    tx: &mut Tx,
    ids: &dyn Ids,
    found: &[ToTell],
    now: Timestamp,
) -> Result<(), StoreError> {
    for ToTell { filing, is_open } in found {
        if filing_deadlines::set_alerted(tx, filing.document, now).await?
            && *is_open
            && let Some(notice) = notice(filing, now)
        {
            append_notice(tx, ids, now, &notice).await?;
        }
    }
    Ok(())
}

pub(super) fn log(found: &[ToTell]) {
    for ToTell { filing, .. } in found.iter().filter(|found| found.is_open) {
        if let Some(limit) = filing.file_by {
            tracing::error!(
                document.id = %filing.document, alert = NoticeKind::SubmissionDue.as_str(), "{}", sentence(filing, limit)
            );
        }
    }
}

fn notice(filing: &FilingDeadline, now: Timestamp) -> Option<Notice> {
    let limit = filing.file_by?;
    Some(Notice {
        kind: NoticeKind::SubmissionDue,
        workspace: Some(filing.workspace),
        subject: NoticeSubject::Document { id: filing.document, number: Some(filing.number.clone()) },
        code: if limit < now { OVERDUE } else { DUE_SOON }.to_owned(),
        message: sentence(filing, limit),
        next_command: format!("gateway submission show {}", filing.document),
        since: filing.issued_at,
    })
}

fn sentence(filing: &FilingDeadline, limit: Timestamp) -> String {
    let FilingDeadline { document, number, .. } = filing;
    format!(
        "{document} ({number}) has to be filed by {limit:.0} and is not accepted yet: see what its submission waits for"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_domain::ids::WorkspaceId;
    use gateway_domain::invoicing::InvoiceNumber;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_notice_says_whether_the_limit_is_over() {
        let filing = FilingDeadline {
            document: "0197f4f2-0000-7000-8000-000000000001".parse().unwrap(),
            workspace: WorkspaceId(1),
            number: InvoiceNumber("F-1".to_owned()),
            issued_at: at("2026-11-20T09:00:00Z"),
            file_by: Some(at("2026-11-26T22:59:59Z")),
            mark: None,
            note: None,
            checked_at: at("2026-11-20T09:00:00Z"),
        };
        let notice_at = |now| notice(&filing, at(now)).unwrap();
        assert_eq!(notice_at("2026-11-26T00:00:00Z").code, DUE_SOON);
        assert!(
            notice_at("2026-11-26T00:00:00Z")
                .message
                .contains("(F-1) has to be filed by 2026-11-26T22:59:59Z")
        );
        assert_eq!(notice_at("2026-11-27T00:00:00Z").code, OVERDUE);
        assert_eq!(notice(&FilingDeadline { file_by: None, ..filing }, at("2026-11-27T00:00:00Z")), None);
    }
}
