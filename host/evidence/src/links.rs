//! What went to the tax authority, read for its places in the chain of the tax system.

use crate::ChainCheck;
use gateway_domain::StoreError;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain_evidence::ports::{RecordLinks, UnreadableMessage};
use gateway_domain_evidence::{
    DocumentRecords, EvidenceBreak, LinkCheck, LinkCounts, NumberedDocument, SentRecord, StoredEvidence,
    UnknownPredecessor,
};
use gateway_storage::evidence::{self, SentMessage};
use std::collections::HashMap;
use std::sync::Arc;

/// What is known so far of the chain of a workspace.
#[derive(Debug)]
pub(super) struct LinkProof {
    reader: Arc<dyn RecordLinks>,
    check: LinkCheck,
    unread: Option<String>,
}

/// How the records of a workspace follow each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkReport {
    /// How much follows what.
    pub counts: LinkCounts,
    /// Why some records could not be read: what the first plugin that failed says.
    pub unread: Option<String>,
    /// The first record behind one that was not sent from here, though every record of its number is kept.
    pub unknown: Option<UnknownPredecessor>,
}

impl LinkProof {
    pub(super) fn new(reader: &Arc<dyn RecordLinks>) -> Self {
        Self { reader: Arc::clone(reader), check: LinkCheck::default(), unread: None }
    }

    pub(super) fn finish(self) -> LinkReport {
        let (counts, unknown) = self.check.finish();
        LinkReport { counts, unread: self.unread, unknown }
    }

    /// Takes what was sent of a document, the oldest first.
    async fn take(
        &mut self,
        workspace: WorkspaceId,
        (document, accepted_hash): (NumberedDocument, Option<String>),
        messages: Vec<SentMessage>,
    ) -> Vec<EvidenceBreak> {
        let (mut records, mut broken, mut is_complete) = (Vec::new(), Vec::new(), true);
        for SentMessage { regime, is_accepted, body, .. } in messages {
            let Some((regime, body)) = regime.zip(body) else {
                is_complete = false;
                continue;
            };
            match self.reader.links(&regime, workspace, &body).await {
                Ok(Some(Ok(links))) => {
                    records.extend(links.into_iter().map(|link| SentRecord { is_accepted, link }));
                }
                Ok(Some(Err(UnreadableMessage(reason)))) => {
                    is_complete = false;
                    broken.push(EvidenceBreak::MessageUnreadable { document: document.clone(), reason });
                }
                Ok(None) => is_complete = false,
                Err(error) => {
                    is_complete = false;
                    self.unread.get_or_insert_with(|| error.to_string());
                }
            }
        }
        broken.extend(self.check.take(DocumentRecords { document, records, is_complete, accepted_hash }));
        broken
    }
}

impl ChainCheck {
    /// Takes what was sent of a page of documents, and says what is broken in itself.
    pub(super) async fn take_records(
        &self,
        proof: &mut LinkProof,
        workspace: WorkspaceId,
        page: &[StoredEvidence],
    ) -> Result<Vec<EvidenceBreak>, StoreError> {
        let ids: Vec<InvoiceId> = page.iter().map(|stored| stored.evidence.document.id).collect();
        let mut sent: HashMap<InvoiceId, Vec<SentMessage>> = HashMap::new();
        for message in evidence::messages(&self.db, &ids).await? {
            sent.entry(message.document).or_default().push(message);
        }
        let mut broken = Vec::new();
        for StoredEvidence { evidence, .. } in page {
            if let Some(messages) = sent.remove(&evidence.document.id) {
                let hash = evidence.accepted.as_ref().and_then(|accepted| accepted.hash.clone());
                broken.extend(proof.take(workspace, (evidence.document.clone(), hash), messages).await);
            }
        }
        Ok(broken)
    }
}
