//! One supplier never uses a number twice: the series of a tax id, in all its workspaces, stay apart.
//!
//! Two things are looked at before a workspace numbers in another way: what the other series of the supplier can give, and
//! what was given already. Whatever is overlooked (two that change at the same moment, databases from before this was
//! looked at) is refused where a number is given: [`gateway_storage::numbers::give`].

use gateway_domain::StoreError;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{DocumentKind, SeriesKey};
use gateway_domain::workspace::Workspace;
use gateway_domain::{ErrorCode, FieldError};
use gateway_storage::workspaces as store;
use gateway_storage::{Tx, numbers};
use std::collections::HashMap;

/// Workspaces read at once; there are few.
const WORKSPACES: i64 = 500;
/// Numbers read at once.
const NUMBERS: i64 = 5_000;

/// A series as an operator names it.
const SERIES: [(&str, DocumentKind); 2] =
    [("invoice_pattern", DocumentKind::Invoice), ("credit_pattern", DocumentKind::CreditNote)];

/// Why a workspace, new or `stored` until now, cannot number like this. The caller keeps other workspaces from changing
/// meanwhile, and rolls back when there is anything.
pub async fn series_conflicts(
    tx: &mut Tx,
    workspace: &Workspace,
    stored: Option<&Workspace>,
) -> Result<Vec<FieldError>, StoreError> {
    let moved = stored.is_some_and(|stored| stored.issuer() != workspace.issuer());
    let same =
        |stored: &Workspace| SERIES.iter().all(|(_, kind)| workspace.pattern(*kind) == stored.pattern(*kind));
    // The database keeps texts apart: another spelling of the same tax id is looked at like another pattern.
    let spelled = |stored: &Workspace| stored.supplier.tax_id == workspace.supplier.tax_id;
    if !moved && stored.is_some_and(|stored| same(stored) && spelled(stored)) {
        return Ok(Vec::new());
    }
    if workspace.invoice_pattern.overlaps(&workspace.credit_pattern) {
        let message = format!(
            "invoices and credit notes need different patterns, and {} and {} can give the same number: choose another",
            workspace.invoice_pattern, workspace.credit_pattern
        );
        return Ok(vec![FieldError::new("credit_pattern", ErrorCode::SeriesConflict, message)]);
    }
    let others = others(tx, workspace).await?;
    let mut mistakes = Vec::new();
    for (field, kind) in SERIES {
        let pattern = workspace.pattern(kind);
        let meets =
            |other: &&Workspace| SERIES.iter().any(|(_, kind)| pattern.overlaps(other.pattern(*kind)));
        let found = match others.iter().find(meets) {
            Some(other) => Some(format!(
                "workspace {} of the same supplier gives such numbers ({} and {}): choose another than {pattern}",
                other.id, other.invoice_pattern, other.credit_pattern
            )),
            None => number_conflict(tx, workspace, kind, moved).await?.map(|number| {
                format!("{pattern} leads to {number}, which the same supplier used already: choose another")
            }),
        };
        mistakes.extend(found.map(|message| FieldError::new(field, ErrorCode::SeriesConflict, message)));
    }
    Ok(mistakes)
}

/// The other workspaces of the same supplier.
async fn others(tx: &mut Tx, workspace: &Workspace) -> Result<Vec<Workspace>, StoreError> {
    let issuer = workspace.issuer();
    let (mut found, mut after) = (Vec::new(), WorkspaceId(0));
    if issuer.is_without_tax_id() {
        return Ok(found);
    }
    loop {
        let batch = store::list(&mut *tx, after, WORKSPACES).await?;
        let Some(last) = batch.last() else { return Ok(found) };
        after = last.id;
        found.extend(batch.into_iter().filter(|other| other.id != workspace.id && other.issuer() == issuer));
    }
}

/// A number of the supplier that a series would come to again. What a workspace that `moved` here gave is not the
/// supplier's yet.
async fn number_conflict(
    tx: &mut Tx,
    workspace: &Workspace,
    kind: DocumentKind,
    moved: bool,
) -> Result<Option<String>, StoreError> {
    let (issuer, prefix) = (workspace.issuer(), workspace.pattern(kind).prefix());
    let mut course = SeriesForecast { workspace, kind, next: HashMap::new() };
    for own in [false, true].into_iter().filter(|own| moved || !own) {
        let mut after = String::new();
        loop {
            let batch = if own {
                numbers::of_workspace(tx, workspace.id, &after, NUMBERS).await?
            } else {
                numbers::starting_with(tx, &issuer, prefix, &after, NUMBERS).await?
            };
            let Some(last) = batch.last() else { break };
            after.clone_from(last);
            if let Some(number) = course.leads_to(tx, batch).await? {
                return Ok(Some(number));
            }
        }
    }
    Ok(None)
}

/// Where a series of a workspace goes from here.
struct SeriesForecast<'a> {
    workspace: &'a Workspace,
    kind: DocumentKind,
    /// The next position in each year that was looked at.
    next: HashMap<i16, i64>,
}

impl SeriesForecast<'_> {
    /// The first of some numbers that the series comes to.
    async fn leads_to(&mut self, tx: &mut Tx, numbers: Vec<String>) -> Result<Option<String>, StoreError> {
        for number in numbers {
            let Some((year, position)) = self.workspace.pattern(self.kind).read(&number) else { continue };
            if position >= self.from(tx, year).await? {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    async fn from(&mut self, tx: &mut Tx, year: i16) -> Result<i64, StoreError> {
        if let Some(from) = self.next.get(&year) {
            return Ok(*from);
        }
        let key = SeriesKey { workspace: self.workspace.id, kind: self.kind, year };
        let from = numbers::next_position(tx, key).await?;
        self.next.insert(year, from);
        Ok(from)
    }
}
