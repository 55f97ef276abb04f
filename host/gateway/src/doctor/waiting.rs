//! What waits for somebody: submissions with an alert, and webhooks that were given up.

use super::{Findings, Verdict};
use crate::services::Readers;
use gateway_domain_platform::webhooks::Disabled;
use gateway_terminal::Failure;
use gateway_watchdog::ISSUING_WITHOUT_SUBMISSION;

/// Up to how many webhooks are named that were given up.
const WEBHOOKS_NAMED_MAX: usize = 20;

/// Submissions that wait for somebody.
pub(super) async fn alerts(findings: &mut Findings, readers: &Readers) -> Result<(), Failure> {
    const SUBJECT: &str = "submissions";
    let alerts = readers.waiting.alerts().await?;
    let unsubmitted = readers.waiting.unsubmitted().await?;
    if unsubmitted > 0 {
        let message = format!(
            "{unsubmitted} documents with the alert {ISSUING_WITHOUT_SUBMISSION}: see 'gateway submission list --alerted' for what to do"
        );
        findings.add(SUBJECT, Verdict::Remark, message);
    } else if alerts.is_empty() {
        findings.add(SUBJECT, Verdict::Sound, "none waits for somebody");
    }
    for (code, count) in alerts {
        let message =
            format!("{count} with the alert {code}: see 'gateway submission list --alerted' for what to do");
        findings.add(SUBJECT, Verdict::Remark, message);
    }
    Ok(())
}

/// Webhooks that failed for so long that nothing is sent to them any more.
pub(super) async fn webhooks(findings: &mut Findings, readers: &Readers) -> Result<(), Failure> {
    const SUBJECT: &str = "webhooks";
    let limit = i64::try_from(WEBHOOKS_NAMED_MAX).unwrap_or(i64::MAX).saturating_add(1);
    let found = readers.given_up.list(limit).await?;
    if found.is_empty() {
        findings.add(SUBJECT, Verdict::Sound, "none was given up");
    }
    for webhook in found.iter().take(WEBHOOKS_NAMED_MAX) {
        let why = match webhook.why {
            Disabled::Gone => "it answered 410",
            Disabled::Failing | Disabled::Owner | Disabled::Operator => "it failed for days",
        };
        let message = format!(
            "{} of workspace {} to {} is told nothing since {:.0}, because {why}: 'gateway webhook enable {}' when it is \
             mended, what waits is sent then",
            webhook.id, webhook.workspace, webhook.url, webhook.since, webhook.id
        );
        findings.add(SUBJECT, Verdict::Remark, message);
    }
    if found.len() > WEBHOOKS_NAMED_MAX {
        findings.add(
            SUBJECT,
            Verdict::Remark,
            "there are more that were given up: see 'gateway webhook list'",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;
    use super::*;
    use crate::wiring;
    use gateway_domain::ids::{InvoiceId, WebhookId, WorkspaceId};
    use gateway_domain_finance::{Alert, AlertCode, Submission};
    use gateway_domain_platform::webhooks::EventFilter;
    use gateway_storage::webhooks::NewEndpoint;
    use gateway_storage::{Sql, submissions, testing, webhooks as stored_webhooks};
    use uuid::Uuid;

    #[tokio::test]
    async fn what_waits_for_somebody_is_counted_by_alert() {
        for db in testing::both().await {
            let mut findings = Findings::default();
            alerts(&mut findings, &wiring::readers(db.db())).await.unwrap();
            assert_eq!(found(&findings).0, Verdict::Sound);
            let mut tx = db.begin().await.unwrap();
            for id in [1, 2] {
                let id = InvoiceId(Uuid::from_u128(id));
                let actor = "jane".to_owned();
                let now = "2026-11-20T09:00:00Z".parse().unwrap();
                let alert = Alert { code: AlertCode::ProviderNotConfigured, message: "set it".to_owned() };
                let requested = Submission::requested(id, WorkspaceId(1), actor, now);
                let submission = Submission { alert: Some(alert), ..requested };
                assert!(submissions::insert(&mut tx, &submission).await.unwrap());
            }
            tx.commit().await.unwrap();
            let mut findings = Findings::default();
            alerts(&mut findings, &wiring::readers(db.db())).await.unwrap();
            let (verdict, message) = found(&findings);
            assert!(
                verdict == Verdict::Remark
                    && message.starts_with("2 with the alert")
                    && message.contains("gateway submission list"),
                "{message}"
            );
        }
    }

    #[tokio::test]
    async fn documents_that_nobody_submits_are_counted_too() {
        for db in testing::both().await {
            testing::samples::stored_workspace(&db, 1).await;
            let issuing = Sql::both(
                "INSERT INTO invoice (id, workspace_id, kind, status, content, totals, number, send_to_tax_authority,
                    issuing_at, version, created_at, updated_at)
                VALUES ('00000000-0000-7000-8000-000000000001', 1, 'invoice', 'issuing', '{}', '{}', 'F-1', FALSE,
                    '2020-01-01T00:00:00.000000Z', 1, '2020-01-01T00:00:00.000000Z', '2020-01-01T00:00:00.000000Z')",
            );
            let mut tx = db.begin().await.unwrap();
            tx.execute(&issuing, Vec::new()).await.unwrap();
            tx.commit().await.unwrap();
            let mut findings = Findings::default();
            alerts(&mut findings, &wiring::readers(db.db())).await.unwrap();
            let (verdict, message) = found(&findings);
            assert_eq!(verdict, Verdict::Remark, "{message}");
            assert!(message.starts_with("1 documents with the alert issuingWithoutSubmission"), "{message}");
        }
    }

    #[tokio::test]
    async fn webhooks_that_were_given_up_are_named() {
        for db in testing::both().await {
            let mut findings = Findings::default();
            webhooks(&mut findings, &wiring::readers(db.db())).await.unwrap();
            assert_eq!(found(&findings), (Verdict::Sound, "none was given up"));
            testing::samples::stored_workspace(&db, 7).await;
            let now = "2026-11-20T09:00:00Z".parse().unwrap();
            let mut tx = db.begin().await.unwrap();
            for (number, why) in [(1, Disabled::Gone), (2, Disabled::Operator)] {
                let new = NewEndpoint {
                    id: WebhookId(Uuid::from_u128(number)),
                    workspace: WorkspaceId(7),
                    url: "https://example.com/hooks",
                    events: &EventFilter::default(),
                    secret: b"sealed",
                };
                assert!(stored_webhooks::insert(&mut tx, &new, 9, now).await.unwrap());
                assert!(stored_webhooks::disable(&mut tx, new.id, why, now).await.unwrap());
            }
            tx.commit().await.unwrap();
            let mut findings = Findings::default();
            webhooks(&mut findings, &wiring::readers(db.db())).await.unwrap();
            let (verdict, message) = found(&findings);
            assert_eq!(verdict, Verdict::Remark);
            let id = Uuid::from_u128(1).to_string();
            for says in [&*id, "workspace 7", "https://example.com/hooks", "410", "gateway webhook enable"] {
                assert!(message.contains(says), "{message}");
            }
        }
    }
}
