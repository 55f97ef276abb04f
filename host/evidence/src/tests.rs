use super::*;
use gateway_domain::ids::{EntryId, InvoiceId, ProviderJobId};
use gateway_domain::invoicing::{
    Acceptance, DocumentKind, ImportOrigin, Invoice, InvoiceNumber, State, Totals,
};
use gateway_domain::regime::{PluginRef, RegimeKey};
use gateway_domain_evidence::NumberedDocument;
use gateway_domain_finance::{AcceptedVerdict, Settlement, Submission, document_digest};
use gateway_domain_input::document::{DocumentForm, TaxCheck};
use gateway_domain_numbers::{NumberGap, NumberLink};
use gateway_storage::testing::{self, TestDb, samples, samples::at};
use gateway_storage::{Sql, Ts, Tx, attempts, invoices, numbers, submissions};
use serde_json::json;
use uuid::Uuid;

const WORKSPACE: WorkspaceId = WorkspaceId(1);
const SERIES: SeriesKey = SeriesKey { workspace: WORKSPACE, kind: DocumentKind::Invoice, year: 2026 };

fn id(position: i64) -> InvoiceId {
    InvoiceId(Uuid::from_u128(u128::try_from(position).unwrap()))
}

fn number(position: i64) -> String {
    format!("F-2026-{position:06}")
}

fn sent(position: i64) -> String {
    json!({"code": number(position)}).to_string()
}

fn numbered(position: i64) -> NumberedDocument {
    NumberedDocument { id: id(position), number: number(position) }
}

fn link(position: i64) -> NumberLink {
    NumberLink { position, number: number(position), document: id(position) }
}

fn acceptance(hash: Option<&str>) -> Acceptance {
    let tax_system_hash = hash.map(str::to_owned);
    Acceptance { qr_url: None, tax_system_hash, accepted_at: at(2), warnings: Vec::new(), sandbox: true }
}

/// A document as it is after the tax authority accepted it.
fn document(position: i64, hash: Option<&str>) -> Invoice {
    let form: DocumentForm = serde_json::from_value(json!({"workspace_id": 1, "document_type": "invoice",
        "currency": "EUR", "prices_include_tax": false, "lines": [{"description": "Night", "quantity": "1",
        "unit_price": "10.00", "tax": {"category": "VAT", "rate": "10.0"}}]}))
    .unwrap();
    let content = form.check(TaxCheck::Syntax).unwrap();
    let totals = Totals::of(&content).unwrap();
    let (number, acceptance) = (InvoiceNumber(number(position)), Some(acceptance(hash)));
    Invoice {
        id: id(position),
        workspace: WORKSPACE,
        content,
        totals,
        state: State::Issued { number, at: at(2), acceptance, imported: None },
        send_to_tax_authority: true,
        version: 3,
        created_at: at(0),
        updated_at: at(2),
    }
}

/// A database of which one workspace has issued documents through a tax authority, with this hash each.
async fn issued(db: &TestDb, hashes: &[Option<&str>]) {
    samples::stored_workspace(db, WORKSPACE.0).await;
    for hash in hashes {
        issue(db, *hash).await;
    }
}

async fn issue(db: &TestDb, hash: Option<&str>) {
    let mut tx = db.begin().await.unwrap();
    let position = numbers::reserve(&mut tx, SERIES).await.unwrap();
    let document = document(position, hash);
    assert!(invoices::insert(&mut tx, &document).await.unwrap());
    let (issuer, given) = (samples::workspace(WORKSPACE.0).issuer(), InvoiceNumber(number(position)));
    assert!(numbers::give(&mut tx, &issuer, SERIES, position, &given, document.id, at(0)).await.unwrap());
    send(&mut tx, position, hash).await;
    tx.commit().await.unwrap();
}

/// What is kept of the way of a document to the tax authority, which accepted it.
async fn send(tx: &mut Tx, position: i64, hash: Option<&str>) {
    let version7 =
        |low: i64| Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 | id(low).0.as_u128());
    let (entry, job) = (
        EntryId::try_from(version7(position)).unwrap(),
        ProviderJobId::try_from(version7(position)).unwrap(),
    );
    let key = RegimeKey::try_from("es-verifactu".to_owned()).unwrap();
    let plugin = PluginRef { key, version: "1.0.0".to_owned(), digest: "abc".to_owned() };
    let submission = Submission::intent(id(position), WORKSPACE, "jane".to_owned(), at(0))
        .step(|stage| stage.numbered(InvoiceNumber(number(position))))
        .step(|stage| stage.converted(entry, sent(position), plugin, job));
    let verdict = AcceptedVerdict { acceptance: acceptance(hash), left_out: Vec::new() };
    let ended = submission.clone().step(|stage| stage.uploaded("shown".to_owned()));
    let ended = ended
        .step(|stage| stage.started(at(1)))
        .step(|stage| stage.with_verdict(Settlement::Accept(verdict)));
    assert!(submissions::insert(tx, &ended.settled().submission.into()).await.unwrap());
    attempts::start(tx, &submission.into(), job, at(1));
}

async fn report(db: &TestDb) -> ChainReport {
    ChainCheck::new(db.db().clone()).verify(WORKSPACE).await.unwrap()
}

#[tokio::test]
async fn what_was_issued_is_whole_from_page_to_page() {
    for db in testing::both().await {
        let hashes: Vec<String> = (0..150).map(|count| format!("H{count}")).collect();
        issued(&db, &hashes.iter().map(|hash| Some(hash.as_str())).collect::<Vec<_>>()).await;
        let found = report(&db).await;
        assert!(found.is_whole(), "{found:?}");
        assert_eq!(found.numbers, 150);
        assert_eq!(found.evidence, EvidenceCounts { proven: 150, without_digest: 0, hashes: 150 });
        let other = ChainCheck::new(db.db().clone()).verify(WorkspaceId(2)).await.unwrap();
        assert_eq!(other, ChainReport::new(WorkspaceId(2)));
    }
}

#[tokio::test]
async fn the_first_broken_link_of_each_kind_is_named() {
    for db in testing::both().await {
        issued(&db, &["A", "B", "C", "B", "E", "F", "C"].map(Some)).await;
        for position in [2, 5] {
            testing::lose_number(&db, &number(position)).await;
        }
        for position in [3, 4] {
            testing::change_sent_document(&db, &number(position)).await;
        }
        let found = report(&db).await;
        let gap = NumberBreak::Gap(NumberGap { expected: 2, found: 3, before: Some(link(1)) });
        let carried = NumberBreak::NotGiven { document: id(2), number: number(2) };
        let breaks =
            [SeriesBreak { series: Some(SERIES), cause: gap }, SeriesBreak { series: None, cause: carried }];
        assert_eq!(found.number_breaks, breaks);
        let said = found.number_breaks[0].to_string();
        assert!(
            said.starts_with("invoice numbers of 2026: position 2 is missing after F-2026-000001"),
            "{said}"
        );
        let (expected, changed) = (document_digest(&sent(3)), document_digest(&format!("{} ", sent(3))));
        let breaks = [
            EvidenceBreak::Changed { document: numbered(3), expected, found: changed },
            EvidenceBreak::HashRepeated { first: numbered(2), second: numbered(4), hash: "B".to_owned() },
        ];
        assert_eq!(found.evidence_breaks, breaks);
    }
}

#[tokio::test]
async fn numbers_at_either_end_are_missed_and_a_series_that_would_repeat_itself_is_named() {
    for db in testing::both().await {
        issued(&db, &["A", "B", "C"].map(Some)).await;
        let set_next = async |next: i64| {
            testing::change(&db, Sql::both("UPDATE series SET next_no = $1"), vec![next.into()]).await;
        };
        let causes = async || {
            let breaks = report(&db).await.number_breaks.into_iter();
            breaks.filter(|found| found.series.is_some()).map(|found| found.cause).collect::<Vec<_>>()
        };
        set_next(3).await;
        assert_eq!(causes().await, [NumberBreak::Repeats { next: 3, last: link(3) }]);
        set_next(6).await;
        let end = NumberGap { expected: 4, found: 6, before: Some(link(3)) };
        assert_eq!(causes().await, [NumberBreak::Gap(end)]);
        set_next(4).await;
        testing::lose_number(&db, &number(1)).await;
        assert_eq!(causes().await, [NumberBreak::Start { expected: 1, found: link(2) }]);
        testing::change(&db, Sql::both("DELETE FROM series"), Vec::new()).await;
        assert_eq!(causes().await, [NumberBreak::Repeats { next: 1, last: link(3) }]);
    }
}

#[tokio::test]
async fn a_series_begins_where_it_was_to() {
    for db in testing::both().await {
        samples::stored_workspace(&db, WORKSPACE.0).await;
        let mut tx = db.begin().await.unwrap();
        assert!(numbers::start_at(&mut tx, SERIES, 500).await.unwrap());
        tx.commit().await.unwrap();
        assert!(report(&db).await.is_whole());
        issue(&db, Some("A")).await;
        assert!(report(&db).await.is_whole());
        testing::change(&db, Sql::both("UPDATE series SET first_no = 499"), Vec::new()).await;
        let found = report(&db).await.number_breaks.into_iter().map(|found| found.cause);
        assert_eq!(found.collect::<Vec<_>>(), [NumberBreak::Start { expected: 499, found: link(500) }]);
        // As a release leaves it that does not note it.
        testing::change(&db, Sql::both("UPDATE series SET first_no = NULL"), Vec::new()).await;
        assert!(report(&db).await.is_whole());
    }
}

#[tokio::test]
async fn a_number_that_was_given_up_counts_as_used() {
    for db in testing::both().await {
        issued(&db, &["A", "B"].map(Some)).await;
        // The second document goes out again under the number after it, as after a rejection.
        let mut tx = db.begin().await.unwrap();
        let position = numbers::reserve(&mut tx, SERIES).await.unwrap();
        let (issuer, given) = (samples::workspace(WORKSPACE.0).issuer(), InvoiceNumber(number(position)));
        assert!(numbers::give(&mut tx, &issuer, SERIES, position, &given, id(2), at(3)).await.unwrap());
        tx.commit().await.unwrap();
        let renumber = Sql::both("UPDATE invoice SET number = $1 WHERE number = $2");
        testing::change(&db, renumber, vec![number(3).into(), number(2).into()]).await;
        let found = report(&db).await;
        assert!(found.is_whole(), "{found:?}");
        assert_eq!(found.numbers, 3);
        testing::change(&db, renumber, vec![number(2).into(), number(1).into()]).await;
        let cause = NumberBreak::OfAnother { document: id(1), number: number(2), given_to: id(2) };
        assert_eq!(report(&db).await.number_breaks, [SeriesBreak { series: None, cause }]);
    }
}

#[tokio::test]
async fn an_attempt_without_a_digest_proves_nothing_and_a_hash_may_be_missed() {
    for db in testing::both().await {
        issued(&db, &[Some("A"), None]).await;
        testing::change(&db, Sql::both("UPDATE submission_attempt SET document_digest = NULL"), Vec::new())
            .await;
        let found = report(&db).await;
        assert_eq!(found.evidence, EvidenceCounts { proven: 0, without_digest: 2, hashes: 1 });
        let system = "es-verifactu@1.0.0".to_owned();
        assert_eq!(found.evidence_breaks, [EvidenceBreak::HashMissing { document: numbered(2), system }]);
    }
}

#[tokio::test]
async fn what_was_sent_of_documents_that_another_service_keeps_is_proven_by_their_copies() {
    for db in testing::both().await {
        samples::stored_workspace(&db, WORKSPACE.0).await;
        let copy = Sql::both(
            "INSERT INTO finance_document (document_id, workspace_id, version, data, created_at, updated_at, number)
                VALUES ($1, 1, 1, '{}', $2, $2, $3)",
        );
        for position in 1..=70 {
            let mut tx = db.begin().await.unwrap();
            send(&mut tx, position, None).await;
            tx.commit().await.unwrap();
            let arguments = vec![id(position).into(), Ts(at(position / 2)).into(), number(position).into()];
            testing::change(&db, copy, arguments).await;
        }
        let found = report(&db).await;
        assert!(found.is_whole(), "{found:?}");
        assert_eq!((found.numbers, found.evidence.proven), (0, 70));
        testing::change_sent_document(&db, &number(68)).await;
        let (expected, changed) = (document_digest(&sent(68)), document_digest(&format!("{} ", sent(68))));
        let broken = EvidenceBreak::Changed { document: numbered(68), expected, found: changed };
        assert_eq!(report(&db).await.evidence_breaks, [broken]);
    }
}

#[tokio::test]
async fn a_number_and_files_of_another_system_are_proven_without_a_series() {
    for db in testing::both().await {
        samples::stored_workspace(&db, WORKSPACE.0).await;
        let file = ImportedFile { file_type: ImportedFileType::Xml, content: b"<a/>".to_vec() };
        let digest = file.digest();
        let origin = ImportOrigin { files: vec![digest.clone()], ..ImportOrigin::default() };
        let mut invoice = document(1, None);
        invoice.state = State::Issued {
            number: InvoiceNumber("2019/1".to_owned()),
            at: at(0),
            acceptance: None,
            imported: Some(Box::new(origin.clone())),
        };
        let mut tx = db.begin().await.unwrap();
        assert!(invoices::insert_imported(&mut tx, &invoice, &origin).await.unwrap());
        imported_files::insert(&mut tx, invoice.id, &[file]).await.unwrap();
        tx.commit().await.unwrap();
        let cause = NumberBreak::NotGiven { document: invoice.id, number: "2019/1".to_owned() };
        assert_eq!(
            report(&db).await.number_breaks,
            [SeriesBreak { series: None, cause }],
            "nobody claimed it"
        );
        let mut tx = db.begin().await.unwrap();
        let (issuer, number) = (samples::workspace(WORKSPACE.0).issuer(), InvoiceNumber("2019/1".to_owned()));
        assert!(numbers::take_over(&mut tx, &issuer, &number, invoice.id).await.unwrap());
        tx.commit().await.unwrap();
        let whole = report(&db).await;
        assert!(whole.is_whole() && whole.imported_files == 1, "{whole:?}");

        let changed = b"<b/>".to_vec();
        testing::change(
            &db,
            Sql::both("UPDATE imported_file SET content = $1"),
            vec![changed.as_slice().into()],
        )
        .await;
        let broken = |found| EvidenceBreak::FileChanged {
            document: NumberedDocument { id: invoice.id, number: "2019/1".to_owned() },
            media_type: "application/xml".to_owned(),
            expected: digest.sha256.clone(),
            found,
        };
        let found = ImportedFile { file_type: ImportedFileType::Xml, content: changed }.digest().sha256;
        assert_eq!(report(&db).await.evidence_breaks, [broken(Some(found))]);
        testing::change(&db, Sql::both("DELETE FROM imported_file"), Vec::new()).await;
        assert_eq!(report(&db).await.evidence_breaks, [broken(None)]);
    }
}
