//! Notices: what somebody should hear of without having looked, written down in the transaction of its cause.
//!
//! Here: which there are and what they say. In `subject`: what they are about. In `digest`: how several of them become one
//! message. In `timing`: when one is sent, and when a workspace is left in peace. In `settings`: what holds for one workspace
//! and what for the others.
//!
//! Not here: what causes them (the services), who is told (webhooks, the feed, `gateway-mail`).
//!
//! To add one: a [`NoticeKind`], an event type of the same name in `gateway_domain_platform::webhooks`, and `append_notice` of
//! `gateway-events` in the transaction of its cause.

mod digest;
mod settings;
mod subject;
mod timing;

pub use digest::{Digest, DigestRow, NoticeEvent};
pub use settings::{InvalidSetting, MailAddress, PerWorkspace};
pub use subject::{NoticeSubject, NoticeTopic};
pub use timing::{InvalidQuietHours, Mailing, QuietHours};

use gateway_domain::ids::{InvoiceId, WorkspaceId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

gateway_domain::words! {
    /// What happened that somebody should hear of: the CloudEvents types of the source `/notices`.
    NoticeKind {
        /// A submission waits for somebody.
        SubmissionAlerted = "submission.alerted",
        /// A submission waits for nobody any more.
        SubmissionCleared = "submission.cleared",
        /// The time in which the law wants a document filed runs out.
        SubmissionDue = "submission.due",
        /// A document is issuing, and nobody submits it.
        IssuingOverdue = "issuing.overdue",
        /// Nothing more is sent to a webhook.
        WebhookDisabled = "webhook.disabled",
        /// A plugin misbehaved and serves nobody any more.
        PluginBlocked = "plugin.blocked",
        /// A version of a plugin was due to come in force, and did not.
        PluginNotActivated = "plugin.not_activated",
        /// A credential of a workspace ends soon.
        CredentialExpiring = "credential.expiring",
        /// The certificate of a listener ends soon, or has ended.
        CertificateExpiring = "certificate.expiring",
        /// The tax authority holds something else than the gateway.
        ReconciliationDifferent = "reconciliation.different",
        /// Nobody knows whether the tax authority holds the same: a reconciliation failed.
        ReconciliationFailed = "reconciliation.failed",
        /// The tax authority accepted a document and found errors in it.
        AcceptedWithErrors = "accepted_with_errors",
    }
}

impl NoticeKind {
    /// What happened, of one thing and of several.
    pub const fn phrases(self) -> (&'static str, &'static str) {
        match self {
            Self::SubmissionAlerted => ("submission waits for somebody", "submissions wait for somebody"),
            Self::SubmissionCleared => ("submission goes on", "submissions go on"),
            Self::SubmissionDue => ("filing is due", "filings are due"),
            Self::IssuingOverdue => ("document is issuing too long", "documents are issuing too long"),
            Self::WebhookDisabled => ("webhook is disabled", "webhooks are disabled"),
            Self::PluginBlocked => ("plugin is blocked", "plugins are blocked"),
            Self::PluginNotActivated => ("plugin did not come in force", "plugins did not come in force"),
            Self::CredentialExpiring => ("credential expires", "credentials expire"),
            Self::CertificateExpiring => ("certificate expires", "certificates expire"),
            Self::ReconciliationDifferent => ("difference at the authority", "differences at the authority"),
            Self::ReconciliationFailed => ("reconciliation failed", "reconciliations failed"),
            Self::AcceptedWithErrors => {
                ("document was accepted with errors", "documents were accepted with errors")
            }
        }
    }

    /// Whether it says that something ends, rather than that something happened.
    pub const fn is_expiry(self) -> bool {
        match self {
            Self::CredentialExpiring | Self::CertificateExpiring => true,
            Self::SubmissionAlerted
            | Self::SubmissionCleared
            | Self::SubmissionDue
            | Self::IssuingOverdue
            | Self::WebhookDisabled
            | Self::PluginBlocked
            | Self::PluginNotActivated
            | Self::ReconciliationDifferent
            | Self::ReconciliationFailed
            | Self::AcceptedWithErrors => false,
        }
    }
}

/// A notice, before it is written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What happened.
    pub kind: NoticeKind,
    /// Whose it is; none: the gateway's own.
    pub workspace: Option<WorkspaceId>,
    /// What it is about.
    pub subject: NoticeSubject,
    /// Why, as a program tells it: the code of an alert, for example.
    pub code: String,
    /// Why, in one sentence.
    pub message: String,
    /// What to type next.
    pub next_command: String,
    /// Since when it is so; of what expires, until when it is good.
    pub since: Timestamp,
}

impl Notice {
    /// What the log holds of it.
    pub fn data(&self) -> NoticeData {
        let Self { subject, code, message, next_command, since, .. } = self.clone();
        let (document_id, document_number) = match &subject {
            NoticeSubject::Document { id, number } => {
                (Some(*id), number.as_ref().map(|number| number.0.clone()))
            }
            NoticeSubject::Webhook(_)
            | NoticeSubject::Plugin(_)
            | NoticeSubject::Certificate(_)
            | NoticeSubject::Credential(_)
            | NoticeSubject::Reconciliation { .. } => (None, None),
        };
        let (about, name) = (subject.topic(), subject.name());
        NoticeData { about, name, document_id, document_number, code, message, next_command, since }
    }
}

/// What a notice says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoticeData {
    /// What it is about.
    pub about: NoticeTopic,
    /// What that is called: the number of a document, else its id; the id of a webhook; key and version of a plugin; the
    /// listener of a certificate; the workspace of a credential; the id of a reconciliation.
    #[schema(examples("F-2026-000001"))]
    pub name: String,
    /// The document, where it is about one.
    #[schema(required, value_type = Option<Uuid>, examples("0197f4f2-0000-7000-8000-000000000001"))]
    pub document_id: Option<InvoiceId>,
    /// The number of that, where it has one.
    #[schema(required, examples("F-2026-000001"))]
    pub document_number: Option<String>,
    /// Why, as a program tells it.
    #[schema(examples("retriesExhausted"))]
    pub code: String,
    /// Why, in one sentence.
    #[schema(examples("the provider was unavailable for 10 tries: retry the submission once it is back"))]
    pub message: String,
    /// What to type next.
    #[schema(examples("gateway submission retry 0197f4f2-0000-7000-8000-000000000001"))]
    pub next_command: String,
    /// Since when it is so; of what expires, until when it is good.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub since: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_domain::invoicing::InvoiceNumber;
    use serde_json::json;
    use uuid::Uuid;

    #[test]
    fn a_notice_about_a_document_names_it_and_one_about_something_else_does_not() {
        let id = InvoiceId(Uuid::from_u128(7));
        let about = |subject| Notice {
            kind: NoticeKind::SubmissionAlerted,
            workspace: Some(WorkspaceId(1)),
            subject,
            code: "retriesExhausted".to_owned(),
            message: "the provider was away".to_owned(),
            next_command: format!("gateway submission retry {id}"),
            since: "2026-11-20T09:00:00Z".parse().unwrap(),
        };
        let number = Some(InvoiceNumber("F-1".to_owned()));
        let data = about(NoticeSubject::Document { id, number }).data();
        assert_eq!(
            serde_json::to_value(&data).unwrap(),
            json!({"about": "document", "name": "F-1", "document_id": id, "document_number": "F-1",
                "code": "retriesExhausted", "message": "the provider was away",
                "next_command": format!("gateway submission retry {id}"), "since": "2026-11-20T09:00:00Z"})
        );
        let read: NoticeData = serde_json::from_value(serde_json::to_value(&data).unwrap()).unwrap();
        assert_eq!(read, data);
        let plugin = about(NoticeSubject::Plugin("es-verifactu@1.0.0".to_owned())).data();
        assert_eq!((plugin.document_id, plugin.document_number), (None, None));
        assert_eq!(plugin.name, "es-verifactu@1.0.0");
    }
}
