//! Records of the authority's own list side by side with what was filed from here.

use crate::comparing::{Found, outcome};
use crate::{Authorities, Reconciliations};
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Invoice, InvoiceNumber};
use gateway_domain::regime::{RegimeContext, RegimeKey};
use gateway_domain::workspace::Workspace;
use gateway_domain_reconciliation::{
    Divergence, ListedDays, ListedRecord, ReconciledEntry, Reconciliation, ReconciliationOutcome,
    ReconciliationSource, compare_record, record_key,
};
use gateway_storage::{invoices, reconciliations};
use std::collections::HashMap;

/// Numbers that are looked up at a time.
const NUMBERS: usize = 200;

/// The authority whose list a run walks.
pub(crate) struct Authority {
    pub(crate) access: Authorities,
    pub(crate) regime: RegimeKey,
    /// Whose records are listed.
    pub(crate) workspace: Workspace,
    /// What the plugin is told.
    pub(crate) context: RegimeContext,
    pub(crate) days: ListedDays,
}

/// Who used a number.
#[derive(Debug, Clone, Copy)]
enum Owner {
    /// A document of the workspace of the run.
    Own(InvoiceId),
    /// One of another workspace of the same supplier, whose own run looks at it.
    Other,
}

impl Reconciliations {
    /// What is found of listed records. The authority lists everything of a supplier, whichever of its workspaces filed it.
    pub(crate) async fn found_records(
        &self,
        run: &Reconciliation,
        authority: &Authority,
        records: Vec<ListedRecord>,
    ) -> Result<Vec<Found>, StoreError> {
        let within = records.into_iter().filter(|record| authority.days.contain(record.issue_date));
        let records: Vec<_> = within.collect();
        let issuer = authority.workspace.issuer();
        let of_supplier = self.0.workspaces.list().await?.into_iter().filter(|one| one.issuer() == issuer);
        let of_supplier: Vec<WorkspaceId> = of_supplier.map(|one| one.id).collect();
        let mut found = Vec::new();
        for part in records.chunks(NUMBERS) {
            let numbers: Vec<_> = part.iter().map(|record| record.number.clone()).collect();
            let owners = self.owners(run.workspace, &of_supplier, &numbers).await?;
            let own = owners.values().filter_map(|owner| match owner {
                Owner::Own(document) => Some(*document),
                Owner::Other => None,
            });
            let own: Vec<_> = own.collect();
            let documents = self.0.documents.by_ids(&Acting::gateway(), &own).await?;
            found.extend(part.iter().filter_map(|record| match owners.get(&record.number) {
                Some(Owner::Other) => None,
                Some(Owner::Own(document)) => {
                    Some(compared(run, record, Some((*document, documents.get(document)))))
                }
                None => Some(compared(run, record, None)),
            }));
        }
        Ok(found)
    }

    /// Who used some numbers among the workspaces of a supplier; those of other suppliers say nothing.
    async fn owners(
        &self,
        own: WorkspaceId,
        of_supplier: &[WorkspaceId],
        numbers: &[String],
    ) -> Result<HashMap<String, Owner>, StoreError> {
        let mut owners = HashMap::new();
        let mut add = |number: String, document: InvoiceId, workspace: WorkspaceId| {
            if workspace == own {
                owners.insert(number, Owner::Own(document));
            } else if of_supplier.contains(&workspace) {
                owners.entry(number).or_insert(Owner::Other);
            }
        };
        for (number, document, workspace) in reconciliations::filed_under(&self.0.db, numbers).await? {
            add(number, document, workspace);
        }
        for workspace in of_supplier {
            for (number, document) in invoices::imported_under(&self.0.db, *workspace, numbers).await? {
                add(number, document, *workspace);
            }
        }
        Ok(owners)
    }

    /// A document that the authority accepted, and that its list does not show.
    pub(crate) fn unlisted(run: &Reconciliation, document: &Invoice) -> Found {
        let number = document.state.number().cloned();
        let text = number.as_ref().map_or("", |number| number.0.as_str());
        Found {
            entry: ReconciledEntry {
                source: ReconciliationSource::Authority,
                entry: record_key(run.id, text, document.content.issue_date),
                document: Some(document.id),
                number: number.clone(),
                outcome: ReconciliationOutcome::OnlyHere,
                divergences: Vec::new(),
            },
            is_alerted: false,
        }
    }
}

/// A record beside the document that was filed under its number; none: nobody here knows it.
fn compared(
    run: &Reconciliation,
    record: &ListedRecord,
    filed: Option<(InvoiceId, Option<&Invoice>)>,
) -> Found {
    let (outcome, divergences) = match filed {
        None => (ReconciliationOutcome::OnlyThere, Vec::new()),
        Some((_, Some(document))) => outcome(compare_record(document, record, run.to)),
        // It was filed from here, and the document is gone.
        Some((_, None)) => {
            let divergence = Divergence {
                member: String::new(),
                here: "none".to_owned(),
                there: record.state.as_str().to_owned(),
            };
            (ReconciliationOutcome::Different, vec![divergence])
        }
    };
    Found {
        entry: ReconciledEntry {
            source: ReconciliationSource::Authority,
            entry: record_key(run.id, &record.number, Some(record.issue_date)),
            document: filed.map(|(document, _)| document),
            number: Some(InvoiceNumber(record.number.clone())),
            outcome,
            divergences,
        },
        is_alerted: false,
    }
}
