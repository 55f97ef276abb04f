//! The export: issued documents and nothing else, once each, however many there are.

use crate::world::{World, here, stranger};
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::IssuePeriod;
use gateway_invoicing::{EXPORT_PAGE, Export, Issue};
use gateway_storage::Sql;
use jiff::civil::{Date, date};
use serde_json::json;
use std::collections::BTreeSet;

impl World {
    async fn issued_on(&self, day: Date) -> InvoiceId {
        let form = json!({"workspace_id": self.workspace, "document_type": "invoice",
            "currency": "EUR", "issue_date": day, "prices_include_tax": true,
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "1.00", "tax": {"category": "VAT", "rate": "10.0"}}]});
        let id = self.saved(form).await;
        self.invoicing.issue(&self.acting, id, Issue::default()).await.unwrap();
        id
    }

    /// Copies the one document that is there; says how often.
    async fn copied(&self) -> u64 {
        let mut tx = self.db.begin().await.unwrap();
        let rows = tx.execute(&COPIES, Vec::new()).await.unwrap();
        tx.commit().await.unwrap();
        rows
    }

    async fn exported(&self, period: IssuePeriod) -> Vec<InvoiceId> {
        let workspace = Some(self.workspace);
        remaining(self.invoicing.documents().export(&self.acting, workspace, period).await.unwrap()).await
    }
}

async fn remaining(mut export: Export) -> Vec<InvoiceId> {
    let mut all = Vec::new();
    loop {
        let page = export.next_page().await.unwrap();
        if page.is_empty() {
            return all;
        }
        all.extend(page.iter().map(|invoice| invoice.id));
    }
}

const EVER: IssuePeriod = IssuePeriod { from: None, to: None };

#[tokio::test]
async fn the_export_excludes_draft_issuing_and_rejected() {
    for world in here().await {
        let issued = world.issued_on(date(2026, 11, 20)).await;
        world.draft().await;
        let rejected = world.issuing().await;
        world.invoicing.reject(&world.acting, rejected, "no".to_owned()).await.unwrap();
        world.issuing().await;
        assert_eq!(world.exported(EVER).await, [issued]);
    }
}

#[tokio::test]
async fn both_ends_of_the_period_are_included_and_either_may_be_open() {
    for world in here().await {
        let days = [date(2026, 10, 31), date(2026, 11, 1), date(2026, 11, 30), date(2026, 12, 1)];
        let mut ids = Vec::new();
        for day in days {
            ids.push(world.issued_on(day).await);
        }
        let (from, to) = (Some(days[1]), Some(days[2]));
        assert_eq!(world.exported(EVER).await, ids);
        assert_eq!(world.exported(IssuePeriod { from, to }).await, ids[1..3]);
        assert_eq!(world.exported(IssuePeriod { from, to: None }).await, ids[1..]);
        assert_eq!(world.exported(IssuePeriod { from: None, to }).await, ids[..3]);
        assert_eq!(world.exported(IssuePeriod { from: to, to: from }).await, []);
    }
}

#[tokio::test]
async fn more_than_a_thousand_documents_are_read_page_by_page_and_only_as_they_are_taken() {
    for world in here().await {
        let first = world.issued_on(date(2026, 11, 20)).await;
        let copies = world.copied().await;
        assert!(copies > 1_000);
        let mut export = world.invoicing.documents().export(&world.acting, None, EVER).await.unwrap();
        let page = export.next_page().await.unwrap();
        assert_eq!(page.len(), EXPORT_PAGE);
        let mut exported: BTreeSet<_> = page.iter().map(|invoice| invoice.id).collect();
        // Whatever is issued meanwhile, before or behind the place where the export is, moves no other document.
        let added = [world.issued_on(date(2026, 1, 1)).await, world.issued_on(date(2026, 12, 31)).await];
        let mut all = 0;
        for id in remaining(export).await {
            assert!(exported.insert(id), "{id} was given twice");
            all += 1;
        }
        let expected = usize::try_from(copies).unwrap() + 1;
        assert!(exported.contains(&first) && !exported.contains(&added[0]));
        assert!(exported.contains(&added[1]), "the second page was not read before the first was taken");
        assert_eq!(all + EXPORT_PAGE, expected + 1);
    }
}

/// As many copies of the one document that is there, on a few days.
const COPIES: Sql = Sql {
    pg: "INSERT INTO invoice (id, workspace_id, kind, status, content, totals, number, send_to_tax_authority, issued_at,
            issue_date, version, created_at, updated_at)
        SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, workspace_id, kind, status,
            replace(content, '2026-11-20', '2026-11-' || (21 + n % 5)), totals, 'X-' || n, send_to_tax_authority, issued_at,
            '2026-11-' || (21 + n % 5), version, created_at, updated_at
        FROM invoice, generate_series(1, 1234) AS n",
    sqlite: "WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 1234)
        INSERT INTO invoice (id, workspace_id, kind, status, content, totals, number, send_to_tax_authority, issued_at,
            issue_date, version, created_at, updated_at)
        SELECT '00000000-0000-7000-8000-' || printf('%012d', n), workspace_id, kind, status,
            replace(content, '2026-11-20', '2026-11-' || (21 + n % 5)), totals, 'X-' || n, send_to_tax_authority, issued_at,
            '2026-11-' || (21 + n % 5), version, created_at, updated_at
        FROM invoice, s",
};

#[tokio::test]
async fn a_workspace_that_the_caller_may_not_see_has_nothing_to_export() {
    for world in here().await {
        let id = world.issued_on(date(2026, 11, 20)).await;
        for workspace in [None, Some(world.workspace)] {
            assert_eq!(
                remaining(world.invoicing.documents().export(&stranger(), workspace, EVER).await.unwrap())
                    .await,
                []
            );
            assert_eq!(
                remaining(
                    world.invoicing.documents().export(&Acting::gateway(), workspace, EVER).await.unwrap()
                )
                .await,
                [id]
            );
        }
    }
}
