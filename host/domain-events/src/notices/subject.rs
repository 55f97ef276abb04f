//! What notices are about.

use gateway_domain::ids::{InvoiceId, ReconciliationId, WebhookId, WorkspaceId};
use gateway_domain::invoicing::InvoiceNumber;
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

gateway_domain::words! {
    /// What kind of thing a notice is about.
    NoticeTopic {
        /// A document, or its submission.
        Document = "document",
        /// A webhook of a customer.
        Webhook = "webhook",
        /// A version of a plugin.
        Plugin = "plugin",
        /// The certificate of a listener.
        Certificate = "certificate",
        /// A credential of a workspace.
        Credential = "credential",
        /// A run of the reconciliation.
        Reconciliation = "reconciliation",
    }
}

/// What a notice is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoticeSubject {
    /// A document, or its submission.
    Document {
        /// Which one.
        id: InvoiceId,
        /// Its number, where it has one.
        number: Option<InvoiceNumber>,
    },
    /// A webhook of a customer.
    Webhook(WebhookId),
    /// A version of a plugin, by key and version: `es-verifactu@1.0.0`.
    Plugin(String),
    /// The certificate of a listener, by its name: `public`.
    Certificate(String),
    /// What a workspace signs in with at the provider.
    Credential(WorkspaceId),
    /// A run of the reconciliation, where what it found is about no document.
    Reconciliation {
        /// Which one.
        run: ReconciliationId,
        /// What was found, and whose it is: the next run that finds the same is about the same.
        finding: String,
    },
}

impl NoticeSubject {
    /// What kind of thing it is.
    pub const fn topic(&self) -> NoticeTopic {
        match self {
            Self::Document { .. } => NoticeTopic::Document,
            Self::Webhook(_) => NoticeTopic::Webhook,
            Self::Plugin(_) => NoticeTopic::Plugin,
            Self::Certificate(_) => NoticeTopic::Certificate,
            Self::Credential(_) => NoticeTopic::Credential,
            Self::Reconciliation { .. } => NoticeTopic::Reconciliation,
        }
    }

    /// What it is called.
    pub fn name(&self) -> String {
        match self {
            Self::Document { id, number: None } => id.to_string(),
            Self::Document { number: Some(number), .. } => number.0.clone(),
            Self::Webhook(id) => id.to_string(),
            Self::Plugin(name) | Self::Certificate(name) => name.clone(),
            Self::Credential(workspace) => workspace.to_string(),
            Self::Reconciliation { run, .. } => run.to_string(),
        }
    }

    /// The CloudEvents subject. What has no id of its own has one that its name, or what was found, always gives (RFC 9562, version 8).
    pub fn id(&self) -> Uuid {
        match self {
            Self::Document { id, .. } => id.0,
            Self::Webhook(id) => id.0,
            Self::Plugin(_) | Self::Certificate(_) | Self::Credential(_) => self.id_of(&self.name()),
            Self::Reconciliation { finding, .. } => self.id_of(finding),
        }
    }

    fn id_of(&self, name: &str) -> Uuid {
        let digest: [u8; 32] = Sha256::digest(format!("{}:{name}", self.topic())).into();
        let (id, _) = digest.split_first_chunk().unwrap_or((&[0; 16], &[]));
        Builder::from_custom_bytes(*id).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_without_an_id_has_the_same_one_each_time_and_shares_it_with_no_other() {
        let plugin = |name: &str| NoticeSubject::Plugin(name.to_owned()).id();
        assert_eq!(plugin("es-verifactu@1.0.0"), plugin("es-verifactu@1.0.0"));
        assert_ne!(plugin("es-verifactu@1.0.0"), plugin("es-verifactu@1.0.1"));
        assert_ne!(plugin("public"), NoticeSubject::Certificate("public".to_owned()).id());
        assert_eq!(plugin("public").get_version_num(), 8);
        let found = |run, finding: &str| {
            let run = ReconciliationId(Uuid::from_u128(run));
            NoticeSubject::Reconciliation { run, finding: finding.to_owned() }
        };
        assert_eq!(found(1, "x").id(), found(2, "x").id());
        assert_ne!(found(1, "x").id(), found(1, "y").id());
        assert_eq!(found(1, "x").name(), Uuid::from_u128(1).to_string());
        let webhook = WebhookId(Uuid::from_u128(7));
        assert_eq!(NoticeSubject::Webhook(webhook).id(), webhook.0);
    }

    #[test]
    fn a_document_is_called_by_its_number_once_it_has_one() {
        let id = InvoiceId(Uuid::from_u128(7));
        let named = |number| NoticeSubject::Document { id, number }.name();
        assert_eq!(named(None), id.to_string());
        assert_eq!(named(Some(InvoiceNumber("F-1".to_owned()))), "F-1");
    }
}
