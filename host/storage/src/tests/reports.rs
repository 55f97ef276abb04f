//! Reports never disagree with the documents: what they say is computed again from every document there is.

use super::upgrade;
use crate::invoicing::{invoice_lists, invoices};
use crate::testing::{self, TestDb, samples::at, samples::stored_workspace};
use crate::{reports, sums};
use gateway_database::sql::{Engine, Sql};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{
    DocumentFilter, DocumentKind, Invoice, InvoiceNumber, IssuePeriod, ReportKey, ReportScope, State, Status,
    Totals,
};
use gateway_domain_input::document::{DocumentForm, TaxCheck};
use jiff::civil::date;
use serde_json::json;
use std::collections::BTreeMap;
use uuid::Uuid;

const WORKSPACES: [WorkspaceId; 2] = [WorkspaceId(1), WorkspaceId(2)];
/// How many documents there are.
const DOCUMENTS: u32 = 60;

/// A draft with figures of its own.
fn draft(number: u32, quantity: u32) -> Invoice {
    let line = |tax| json!({"description": "Night", "quantity": quantity.to_string(), "unit_price": "10.01", "tax": tax});
    let exempt = json!({"category": "VAT", "exemption": "article_20"});
    let rate = if number.is_multiple_of(3) { "10.0" } else { "21.0" };
    let kind = if number.is_multiple_of(5) { "receipt" } else { "invoice" };
    let currency = if number.is_multiple_of(7) { "USD" } else { "EUR" };
    let form: DocumentForm = serde_json::from_value(json!({"workspace_id": 1 + number % 2, "document_type": kind,
        "currency": currency, "prices_include_tax": false, "issue_date": date(2026, 1, 31).saturating_add(jiff::Span::new().days(number % 9)),
        "lines": [line(json!({"category": "VAT", "rate": rate})), line(exempt)]}))
    .unwrap();
    let content = form.check(TaxCheck::Syntax).unwrap();
    let totals = Totals::of(&content).unwrap();
    Invoice {
        id: InvoiceId(Uuid::from_u128(number.into())),
        workspace: WORKSPACES[usize::from(number.is_multiple_of(2))],
        content,
        totals,
        state: State::Draft,
        send_to_tax_authority: false,
        version: 1,
        created_at: at(0),
        updated_at: at(0),
    }
}

/// Documents in every state: edited before they were issued, and issued at once.
async fn store(db: &TestDb) {
    let mut tx = db.begin().await.unwrap();
    for number in 1..=DOCUMENTS {
        let mut document = draft(number, number);
        assert!(invoices::insert(&mut tx, &document).await.unwrap());
        if number.is_multiple_of(4) {
            document = Invoice { version: 2, ..draft(number, number + 1) };
            assert!(invoices::update(&mut tx, &document, 1).await.unwrap());
            invoices::content_changed(&mut tx, &document).unwrap();
        }
        let number_given = InvoiceNumber(format!("F-{number}"));
        let state = match number % 6 {
            0 => State::Draft,
            1 => State::Issuing { number: number_given, since: at(1) },
            2 => State::Rejected { number: number_given, at: at(1), reason: "no".to_owned() },
            _ => State::Issued { number: number_given, at: at(1), acceptance: None, imported: None },
        };
        if state != State::Draft {
            let before = document.version;
            let moved = Invoice { state, version: before + 1, ..document };
            assert!(invoices::update(&mut tx, &moved, before).await.unwrap());
        }
    }
    tx.commit().await.unwrap();
}

async fn all(db: &TestDb) -> Vec<Invoice> {
    let ids: Vec<_> = (1..=DOCUMENTS).map(|number| InvoiceId(Uuid::from_u128(number.into()))).collect();
    invoices::by_ids(db.db(), &Workspaces::All, &ids).await.unwrap()
}

type Keys = (String, DocumentKind, String);

/// Documents and their gross in hundredths by what `key` says of each.
fn added_up<'a>(
    documents: impl Iterator<Item = &'a Invoice>,
    key: impl Fn(&Invoice) -> String,
) -> BTreeMap<Keys, (i64, i64)> {
    let mut sums = BTreeMap::<Keys, (i64, i64)>::new();
    for document in documents {
        let content = &document.content;
        let sum = sums.entry((key(document), content.document_type, content.currency.clone())).or_default();
        *sum = (sum.0 + 1, sum.1 + document.totals.gross.units());
    }
    sums
}

/// The rows of breakdowns, with their bases in hundredths.
fn rates<'a>(documents: impl Iterator<Item = &'a Invoice>) -> BTreeMap<Keys, (i64, i64)> {
    let mut sums = BTreeMap::<Keys, (i64, i64)>::new();
    for document in documents {
        let content = &document.content;
        for row in &document.totals.rates {
            let key =
                format!("{} {:?}", row.rate.map(|rate| rate.to_string()).unwrap_or_default(), row.exemption);
            let sum = sums.entry((key, content.document_type, content.currency.clone())).or_default();
            *sum = (sum.0 + 1, sum.1 + row.base.units());
        }
    }
    sums
}

/// Holds every report of a workspace against its documents.
async fn assert_reports_agree(db: &TestDb, scope: ReportScope) {
    let documents = all(db).await;
    let has_no_bounds = scope.period == IssuePeriod::default();
    let counted = || {
        documents.iter().filter(move |document| {
            let day = document.content.issue_date.unwrap();
            let IssuePeriod { from, to } = scope.period;
            document.workspace == scope.workspace
                && (has_no_bounds || from.is_none_or(|from| from <= day) && to.is_none_or(|to| day <= to))
        })
    };
    let issued = || counted().filter(|document| document.state.status() == Status::Issued);
    let what = format!("{:?}, {scope:?}", db.engine());

    let month = |document: &Invoice| document.content.issue_date.unwrap().strftime("%Y-%m").to_string();
    let status = |document: &Invoice| document.state.status().as_str().to_owned();
    let by_month = reports::by_month(db.db(), scope).await.unwrap();
    let by_status = reports::by_status(db.db(), scope).await.unwrap();
    for (rows, expected) in [(by_month, added_up(issued(), month)), (by_status, added_up(counted(), status))]
    {
        let rows = rows.into_iter().map(|row| {
            let key = match row.key {
                ReportKey::Month(month) => month,
                ReportKey::Status(status) => status.as_str().to_owned(),
            };
            ((key, row.document_type, row.currency), (row.documents, row.sums.gross.units()))
        });
        assert_eq!(rows.collect::<BTreeMap<_, _>>(), expected, "{what}");
    }

    let by_rate = reports::by_rate(db.db(), scope).await.unwrap().into_iter().map(|row| {
        let key = format!("{} {:?}", row.rate.unwrap_or_default(), row.exemption);
        ((key, row.document_type, row.currency), (row.documents, row.base.units()))
    });
    assert_eq!(by_rate.collect::<BTreeMap<_, _>>(), rates(issued()), "{what}");
}

/// Holds the counts of documents by state against the documents.
async fn assert_counts_agree(db: &TestDb) {
    let mut expected = BTreeMap::<(i64, String), i64>::new();
    for document in all(db).await {
        let state = document.state.status().as_str().to_owned();
        *expected.entry((document.workspace.0, state)).or_default() += 1;
    }
    let counts = invoice_lists::counts_by_status(db.db()).await.unwrap();
    let counts = counts.into_iter().map(|count| ((count.workspace.0, count.status), count.documents));
    assert_eq!(counts.collect::<BTreeMap<_, _>>(), expected, "{:?}", db.engine());

    let of = |status: &str, filter: &DocumentFilter| {
        filter.status.is_none_or(|requested| requested.as_str() == status)
    };
    for status in [None, Some(Status::Issued), Some(Status::Draft)] {
        for workspace in [None, Some(WorkspaceId(2))] {
            for visible in [Workspaces::All, Workspaces::Only(vec![WorkspaceId(2)])] {
                let filter = DocumentFilter { workspace, status, ..DocumentFilter::default() };
                let found = invoice_lists::count(db.db(), &visible, &filter).await.unwrap();
                let counted = expected.iter().filter(|((owner, status), _)| {
                    let owner = WorkspaceId(*owner);
                    visible.contain(owner)
                        && workspace.is_none_or(|requested| requested == owner)
                        && of(status, &filter)
                });
                assert_eq!(found, counted.map(|(_, documents)| documents).sum::<i64>(), "{filter:?}");
            }
        }
    }
}

/// Holds reports and counts against the documents: as changes were written down, and when they were added up.
async fn assert_all_agree(db: &TestDb) {
    assert_agreement(db).await;
    assert!(sums::any_change(db.db()).await.unwrap());
    let mut tx = db.begin().await.unwrap();
    assert!(sums::add_up(&mut tx).await.unwrap() > 0);
    assert_eq!(sums::add_up(&mut tx).await.unwrap(), 0, "each change is added once");
    tx.commit().await.unwrap();
    assert!(!sums::any_change(db.db()).await.unwrap());
    assert_agreement(db).await;
}

async fn assert_agreement(db: &TestDb) {
    assert_counts_agree(db).await;
    let february = IssuePeriod { from: Some(date(2026, 2, 1)), to: Some(date(2026, 2, 5)) };
    for workspace in WORKSPACES {
        for period in [IssuePeriod::default(), february] {
            assert_reports_agree(db, ReportScope { workspace, period }).await;
        }
    }
}

async fn run(db: &TestDb, statements: &[&'static str]) {
    let mut tx = db.begin().await.unwrap();
    for statement in statements {
        tx.execute(&Sql::both(statement), Vec::new()).await.unwrap();
    }
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn reports_agree_with_documents_in_every_state_also_of_an_older_release() {
    for db in testing::both().await {
        for workspace in WORKSPACES {
            stored_workspace(&db, workspace.0).await;
        }
        store(&db).await;
        assert_all_agree(&db).await;

        // As the baseline wrote them, which knew nothing of this.
        run(
            &db,
            &[
                "DELETE FROM invoice_rate WHERE kind = 'invoice'",
                "UPDATE invoice SET currency = NULL, filters_version = NULL",
            ],
        )
        .await;
        let found = invoices::without_filters(db.db(), i64::from(DOCUMENTS)).await.unwrap();
        let mut tx = db.begin().await.unwrap();
        for document in &found {
            invoices::set_filters(&mut tx, document).await.unwrap();
        }
        tx.commit().await.unwrap();
        assert_all_agree(&db).await;

        run(&db, &["DELETE FROM invoice WHERE status = 'draft'"]).await;
        assert_all_agree(&db).await;
    }
}

#[tokio::test]
async fn documents_of_before_are_counted_by_the_migration() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let db = testing::empty(engine).await;
        upgrade::migrate_to(&db, 39).await;
        for workspace in WORKSPACES {
            stored_workspace(&db, workspace.0).await;
        }
        store(&db).await;
        db.migrate().await.unwrap();
        assert!(!sums::any_change(db.db()).await.unwrap());
        assert_agreement(&db).await;
    }
}

#[tokio::test]
async fn a_change_that_is_taken_back_counts_nothing() {
    for db in testing::both().await {
        stored_workspace(&db, 1).await;
        let mut tx = db.begin().await.unwrap();
        assert!(
            invoices::insert(&mut tx, &Invoice { workspace: WorkspaceId(1), ..draft(1, 1) }).await.unwrap()
        );
        tx.rollback().await.unwrap();
        assert!(!sums::any_change(db.db()).await.unwrap());
        assert_eq!(invoice_lists::counts_by_status(db.db()).await.unwrap(), []);
    }
}

#[tokio::test]
async fn breakdowns_of_issued_documents_outlive_the_migration_and_others_go() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let db = testing::empty(engine).await;
        upgrade::migrate_to(&db, 16).await;
        upgrade::insert_kept_rows(&db).await.unwrap();
        run(
            &db,
            &[
                "UPDATE invoice SET currency = 'EUR', filters_version = version, issue_date = '2026-11-20'",
                "INSERT INTO invoice_rate (document_id, category, rate, base_ten_thousandths, amount_ten_thousandths)
                    SELECT id, 'VAT', '10.0', 1000000, 100000 FROM invoice",
            ],
        )
        .await;
        db.migrate().await.unwrap();
        let mut tx = db.begin().await.unwrap();
        let count = Sql::both(
            "SELECT workspace_id, COUNT(*) FROM invoice WHERE status = 'issued' GROUP BY workspace_id",
        );
        let issued: Vec<(i64, i64)> = tx.fetch_all(&count, Vec::new()).await.unwrap();
        let count = Sql::both("SELECT COUNT(*) FROM invoice_rate");
        let (rows,): (i64,) = tx.fetch_one(&count, Vec::new()).await.unwrap();
        tx.rollback().await.unwrap();
        assert!(!issued.is_empty(), "the kept rows have an issued document");
        assert_eq!(rows, issued.iter().map(|(_, documents)| documents).sum::<i64>(), "{engine:?}");
        for (workspace, documents) in issued {
            let scope = ReportScope { workspace: WorkspaceId(workspace), period: IssuePeriod::default() };
            let by_rate = reports::by_rate(db.db(), scope).await.unwrap();
            assert_eq!(by_rate.iter().map(|row| row.documents).sum::<i64>(), documents, "{engine:?}");
        }
    }
}
