//! What tests store when they need something to be there.

use gateway_database::Db;
pub use gateway_database::testing::at;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{Address, NumberPattern};
use gateway_domain::regime::Supplier;
use gateway_domain::workspace::{RejectionStrategy, Workspace};
use jiff::tz::TimeZone;

/// A Spanish workspace; another id, another supplier.
pub fn workspace(id: i64) -> Workspace {
    Workspace {
        id: WorkspaceId(id),
        name: "Casa Azul".to_owned(),
        supplier: Supplier {
            legal_name: "Casa Azul SL".to_owned(),
            tax_id: format!("B{id:08}"),
            country: "ES".to_owned(),
            address: Some(Address { locality: Some("Madrid".to_owned()), ..Address::default() }),
            email: Some("hola@casaazul.example".to_owned()),
        },
        time_zone: TimeZone::get("Europe/Madrid").unwrap_or(TimeZone::UTC),
        invoice_pattern: NumberPattern::default_invoice(),
        credit_pattern: NumberPattern::default_credit(),
        rejection_strategy: RejectionStrategy::A,
    }
}

/// Stores [`workspace`] `id`.
///
/// # Panics
/// When the database refuses it.
#[expect(clippy::expect_used, reason = "a test without its workspace has nothing to say")]
pub async fn stored_workspace(db: &Db, id: i64) {
    let mut tx = db.begin().await.expect("a transaction");
    crate::workspaces::insert(&mut tx, &workspace(id), at(0)).await.expect("a workspace");
    tx.commit().await.expect("a commit");
}
