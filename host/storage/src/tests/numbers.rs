//! A number is given once.

use super::draft;
use crate::invoicing::invoices;
use crate::invoicing::numbers::{give, is_given, of_workspace, starting_with};
use crate::testing::{self, samples, samples::at};
use crate::workspaces;
use gateway_database::{Db, Sql};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{DocumentKind, Invoice, InvoiceNumber, SeriesKey};
use gateway_domain::tax_id::Issuer;
use gateway_domain::workspace::Workspace;
use uuid::Uuid;

fn number(text: &str) -> InvoiceNumber {
    InvoiceNumber(text.to_owned())
}

fn series(workspace: i64) -> SeriesKey {
    SeriesKey { workspace: WorkspaceId(workspace), kind: DocumentKind::Invoice, year: 2026 }
}

fn id(of: u128) -> InvoiceId {
    InvoiceId(Uuid::from_u128(of))
}

/// A workspace with this tax id, and patterns that no other has.
fn workspace(id: i64, tax_id: &str) -> Workspace {
    let mut workspace = samples::workspace(id);
    workspace.supplier.tax_id = tax_id.to_owned();
    workspace.invoice_pattern = format!("F{id}-{{year}}-{{number}}").parse().unwrap();
    workspace.credit_pattern = format!("R{id}-{{year}}-{{number}}").parse().unwrap();
    workspace
}

/// Stores workspaces with these tax ids, the first is workspace 1, and as many drafts; their issuers.
async fn stored(db: &Db, tax_ids: &[&str]) -> Vec<Issuer> {
    let mut tx = db.begin().await.unwrap();
    let mut issuers = Vec::new();
    for (place, tax_id) in (1..).zip(tax_ids) {
        let workspace = workspace(place, tax_id);
        workspaces::insert(&mut tx, &workspace, at(0)).await.unwrap();
        issuers.push(workspace.issuer());
        let draft = Invoice { workspace: workspace.id, ..draft(u128::try_from(place).unwrap()) };
        invoices::insert(&mut tx, &draft).await.unwrap();
    }
    tx.commit().await.unwrap();
    issuers
}

#[tokio::test]
async fn a_number_is_given_once_to_an_issuer_and_a_position_once_in_a_series() {
    for db in testing::both().await {
        let issuers = stored(&db, &["B17002288", "ES-B17002288", "A58818501"]).await;
        let [one, same, other] = issuers.as_slice() else { panic!("three workspaces") };
        let mut tx = db.begin().await.unwrap();
        assert!(give(&mut tx, one, series(1), 1, &number("F-1"), id(1), at(0)).await.unwrap());
        tx.commit().await.unwrap();
        let mut tx = db.begin().await.unwrap();
        assert!(is_given(&mut tx, same, &number("F-1")).await.unwrap());
        assert!(!give(&mut tx, same, series(2), 1, &number("F-1"), id(2), at(1)).await.unwrap());
        assert!(give(&mut tx, other, series(3), 1, &number("F-1"), id(3), at(1)).await.unwrap());
        tx.commit().await.unwrap();
        let mut tx = db.begin().await.unwrap();
        give(&mut tx, one, series(1), 1, &number("F-2"), id(1), at(1)).await.unwrap();
        tx.commit().await.unwrap_err();
        assert!(!is_given(db.db(), one, &number("F-2")).await.unwrap());
    }
}

#[tokio::test]
async fn of_two_workspaces_that_give_one_number_at_once_one_does() {
    for db in testing::both().await {
        let issuers = stored(&db, &["B17002288", "ESB17002288"]).await;
        let tasks = (1..).zip(issuers).map(|(place, issuer)| {
            let db = db.db().clone();
            tokio::spawn(async move {
                let mut tx = db.begin().await.unwrap();
                let document = id(u128::try_from(place).unwrap());
                let given = give(&mut tx, &issuer, series(place), 1, &number("F-1"), document, at(0)).await;
                let given = given.unwrap();
                if given {
                    tx.commit().await.unwrap();
                }
                given
            })
        });
        let mut given = Vec::new();
        for task in tasks.collect::<Vec<_>>() {
            given.push(task.await.unwrap());
        }
        given.sort_unstable();
        assert_eq!(given, [false, true]);
    }
}

#[tokio::test]
async fn what_a_workspace_gave_counts_for_its_next_supplier_too() {
    for db in testing::both().await {
        let issuers = stored(&db, &["", "B17002288"]).await;
        let [nameless, supplier] = issuers.as_slice() else { panic!("two workspaces") };
        let mut tx = db.begin().await.unwrap();
        for (position, text) in [(1, "F-1"), (2, "F-2"), (3, "G-1")] {
            give(&mut tx, nameless, series(1), position, &number(text), id(1), at(0)).await.unwrap();
        }
        give(&mut tx, supplier, series(2), 1, &number("F-1"), id(2), at(0)).await.unwrap();
        assert!(workspaces::update(&mut tx, &workspace(1, "B17002288"), at(1)).await.unwrap());
        assert_eq!(starting_with(&mut tx, supplier, "", "", 9).await.unwrap(), ["F-1", "F-2", "G-1"]);
        assert_eq!(starting_with(&mut tx, supplier, "F", "", 9).await.unwrap(), ["F-1", "F-2"]);
        assert_eq!(starting_with(&mut tx, supplier, "F", "F-1", 9).await.unwrap(), ["F-2"]);
        assert_eq!(of_workspace(&mut tx, WorkspaceId(1), "F-1", 9).await.unwrap(), ["F-2", "G-1"]);
        assert_eq!(starting_with(&mut tx, supplier, "", "", 1).await.unwrap(), ["F-1"]);
    }
}

#[tokio::test]
async fn a_number_that_was_given_can_be_neither_changed_nor_forgotten() {
    for db in testing::both().await {
        samples::stored_workspace(&db, 1).await;
        let mut tx = db.begin().await.unwrap();
        let at = gateway_database::Ts(at(0));
        let invoice = Sql::both(
            "INSERT INTO invoice (id, workspace_id, kind, status, content, totals, send_to_tax_authority, version,
                created_at, updated_at) VALUES ($1, 1, 'invoice', 'draft', '{}', '{}', $2, 1, $3, $3)",
        );
        let id = gateway_database::Id(Uuid::from_u128(1));
        tx.execute(&invoice, vec![id.into(), false.into(), at.into()]).await.unwrap();
        let number = Sql::both(
            "INSERT INTO invoice_number (workspace_id, kind, year, no, number, invoice_id, given_at)
             VALUES (1, 'invoice', 2026, 1, 'F-1', $1, $2)",
        );
        tx.execute(&number, vec![id.into(), at.into()]).await.unwrap();
        tx.commit().await.unwrap();
        for sql in ["UPDATE invoice_number SET number = 'F-2'", "DELETE FROM invoice_number"] {
            let mut tx = db.begin().await.unwrap();
            assert!(tx.execute(&Sql::both(sql), Vec::new()).await.is_err(), "{sql}");
        }
        let mut tx = db.begin().await.unwrap();
        let twice = tx.execute(&number, vec![id.into(), at.into()]).await.unwrap_err();
        assert_eq!(twice.kind(), Some(gateway_domain::StoreCauseKind::Duplicate));
    }
}
