//! Numbers: reserved late, in the transaction that uses them, so that no series has a gap (specification, Rules 4).

use crate::{Documents, StepError};
use gateway_domain::StoreError;
use gateway_domain::invoicing::{InvoiceNumber, IssueError, NumberPattern, ReadyToIssue, SeriesKey};
use gateway_domain::tax_id::Issuer;
use gateway_domain::workspace::Workspace;
use gateway_storage::{Tx, numbers, series, workspaces};

impl Documents {
    /// The next number of the series. The proof guarantees that nothing else refuses the document any more, so a number
    /// is reserved only when the same transaction uses it.
    pub(crate) async fn reserve(
        &self,
        tx: &mut Tx,
        ready: &ReadyToIssue,
    ) -> Result<InvoiceNumber, StepError> {
        let (key, document) = (ready.series(), ready.document().id);
        let position = series::reserve(tx, key).await?;
        year_is_open(tx, ready).await?;
        // Read here: whoever changes it waits for this number, or this number is given under the change.
        let workspace = workspaces::hold(tx, key.workspace).await?;
        let (issuer, pattern) = numbering(key, workspace.as_ref())?;
        let number = pattern.format(key.year, position);
        if numbers::give(tx, &issuer, key, position, &number, document, self.now()).await? {
            return Ok(number);
        }
        tracing::warn!(
            workspace.id = %key.workspace, document.id = %document,
            "Workspace {} has to number differently: {number} was given before under its tax id", key.workspace
        );
        Err(IssueError::NumberGiven.into())
    }
}

/// A number of a past year that the document does not ask for is given only while no later year has one.
async fn year_is_open(tx: &mut Tx, ready: &ReadyToIssue) -> Result<(), StepError> {
    if ready.takes_past_year() && numbers::later_year(tx, ready.series()).await? {
        return Err(IssueError::SeriesMovedOn.into());
    }
    Ok(())
}

/// What [`Documents::reserve`] would refuse, while nobody else issues.
pub(crate) async fn number_is_free(
    tx: &mut Tx,
    ready: &ReadyToIssue,
    workspace: Option<&Workspace>,
) -> Result<(), StepError> {
    let key = ready.series();
    let (issuer, pattern) = numbering(key, workspace)?;
    let mut position = series::next(&mut *tx, key).await?;
    while numbers::is_given(&mut *tx, &issuer, &pattern.format(key.year, position)).await? {
        // Given by this very series in between: then it is further on.
        let next = series::next(&mut *tx, key).await?;
        if next == position {
            return Err(IssueError::NumberGiven.into());
        }
        position = next;
    }
    Ok(())
}

/// Who issues a document of a series, and how its number looks.
fn numbering(key: SeriesKey, workspace: Option<&Workspace>) -> Result<(Issuer, &NumberPattern), StoreError> {
    let workspace = workspace.ok_or(StoreError::Moved { table: "workspace" })?;
    Ok((workspace.issuer(), workspace.pattern(key.kind)))
}
