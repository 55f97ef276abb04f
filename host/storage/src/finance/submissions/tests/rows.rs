//! A submission and its row say the same, and so does the database.

use super::super::row::Row;
use super::super::*;
use crate::testing;
use gateway_database::sql::Param;
use gateway_database::value::Ts;
use gateway_domain_finance::testing::{NOW, next_steps, requested};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

/// How many ways are gone, and how far.
const WAYS: u128 = 40;
const STEPS: usize = 40;

#[tokio::test]
async fn on_every_way_a_submission_is_read_as_it_was_written() {
    for db in testing::both().await {
        let mut runner = TestRunner::deterministic();
        let mut tx = db.begin().await.unwrap();
        for way in 0..WAYS {
            let picks = prop::collection::vec(any::<Index>(), STEPS).new_tree(&mut runner).unwrap().current();
            let mut submission = requested(way);
            assert!(insert(&mut tx, &submission).await.unwrap());
            for pick in picks {
                let next =
                    Submission { version: submission.version, ..pick.get(&next_steps(&submission)).clone() };
                assert!(update(&mut tx, &next).await.unwrap(), "{next:?}");
                let read = find(&mut tx, next.document, &Workspaces::All).await.unwrap().unwrap();
                submission = Submission { version: next.version + 1, ..next };
                assert_eq!(read, submission);
            }
        }
    }
}

/// A row of a stage with nothing else.
fn bare(stage: Stage) -> Row {
    Row {
        document_id: Id(Uuid::from_u128(1)),
        workspace_id: 1,
        stage: stage.as_str().to_owned(),
        number: None,
        entry_id: None,
        entry_renewed: false,
        entry_digest: None,
        check_earlier_attempts: false,
        job_id: None,
        structured: None,
        plugin_key: None,
        plugin_version: None,
        plugin_digest: None,
        settlement: None,
        alert_code: None,
        alert_message: None,
        retries: 0,
        last_error: None,
        held_until: None,
        stamps: None,
        job_taken_at: None,
        version: 0,
        actor: "jane".to_owned(),
        created_at: Ts(NOW),
        updated_at: Ts(NOW),
    }
}

/// The rows with and without what `change` adds.
fn with_or_without(rows: Vec<Row>, changes: &[fn(&mut Row)]) -> Vec<Row> {
    let with = |row: &Row, change: &fn(&mut Row)| {
        let mut row = row.clone();
        change(&mut row);
        row
    };
    let more: Vec<_> = rows.iter().flat_map(|row| changes.iter().map(|change| with(row, change))).collect();
    [rows, more].concat()
}

const UNAVAILABLE: &str = r#"{"class":"unavailable","message":"no","at":"2026-11-20T08:00:00Z"}"#;
const VERSION7: Id = Id(Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001));

/// Every combination of columns that any stage could think of.
fn every_row() -> Vec<Row> {
    let rows = Stage::ALL.iter().copied().map(bare).collect();
    let rows = with_or_without(rows, &[|row| row.number = Some("F-1".to_owned())]);
    let rows = with_or_without(
        rows,
        &[
            |row| (row.entry_id, row.structured) = (Some(VERSION7), Some("{}".to_owned())),
            |row| row.entry_id = Some(VERSION7),
            |row| row.structured = Some("{}".to_owned()),
            |row| row.entry_renewed = true,
            |row| row.entry_digest = Some("abc".to_owned()),
        ],
    );
    let rows = with_or_without(
        rows,
        &[|row| {
            row.plugin_key = Some("es-verifactu".to_owned());
            (row.plugin_version, row.plugin_digest) = (Some("1.0.0".to_owned()), Some("abc".to_owned()));
        }],
    );
    let rows = with_or_without(rows, &[|row| row.job_id = Some(VERSION7)]);
    let rows = with_or_without(rows, &[|row| row.job_taken_at = Some(Ts(NOW))]);
    let rows = with_or_without(rows, &[|row| row.check_earlier_attempts = true]);
    with_or_without(
        rows,
        &[
            |row| {
                let rejection = r#"{"settlement":"reject","reason":"no","faults":[]}"#;
                row.settlement = Some(rejection.to_owned());
            },
            |row| {
                let proof = r#"{"qr_url":null,"tax_system_hash":null,"accepted_at":"2026-11-20T08:00:00Z","warnings":[],"sandbox":false}"#;
                row.settlement = Some(format!(r#"{{"settlement":"accept","acceptance":{proof}}}"#));
            },
        ],
    )
}

fn columns(row: &Row) -> Vec<Param> {
    let row = row.clone();
    params![
        row.document_id.0,
        row.workspace_id,
        row.stage,
        row.number,
        row.entry_id.map(|id| id.0),
        row.entry_renewed,
        row.entry_digest,
        row.check_earlier_attempts,
        row.job_id.map(|id| id.0),
        row.plugin_key,
        row.plugin_version,
        row.plugin_digest,
        row.settlement,
        row.alert_code,
        row.alert_message,
        row.retries,
        row.last_error,
        row.held_until.map(|at| at.0),
        row.stamps,
        row.job_taken_at.map(|at| at.0),
        row.structured,
        row.version,
        row.actor,
        row.created_at.0,
        row.updated_at.0,
    ]
}

/// Whether the database takes a row.
async fn is_taken(db: &crate::Db, row: &Row) -> bool {
    let mut tx = db.begin().await.unwrap();
    let taken = tx.execute(&INSERT, columns(row)).await;
    tx.rollback().await.unwrap();
    match taken {
        Ok(_) => true,
        Err(error) => {
            assert!(error.is_refused(), "{error:?}");
            false
        }
    }
}

#[tokio::test]
async fn the_database_takes_exactly_the_rows_that_a_stage_can_hold() {
    let rows = every_row();
    for db in testing::both().await {
        let mut taken = 0;
        for row in &rows {
            let read = Submission::try_from(row.clone());
            assert_eq!(is_taken(&db, row).await, read.is_ok(), "{row:?}: {read:?}");
            let Ok(submission) = read else { continue };
            taken += 1;
            let (written, [_, _, changing @ .., _, _, _, _, _]) =
                (row::changing(&submission).unwrap(), &columns(row)[..])
            else {
                panic!("a row has more columns")
            };
            assert_eq!(written, changing, "{row:?}");
        }
        assert_eq!(taken, 81, "every stage with all that may or may not exist in it");
    }
}

#[tokio::test]
async fn what_ended_has_no_calls_to_repeat() {
    let results: [fn(&mut Row); 3] = [
        |row| row.retries = 1,
        |row| row.last_error = Some(UNAVAILABLE.to_owned()),
        |row| row.held_until = Some(Ts(NOW)),
    ];
    for db in testing::both().await {
        for (stage, is_open) in [(Stage::Requested, true), (Stage::Withdrawn, false)] {
            for change in results {
                let mut row = bare(stage);
                change(&mut row);
                assert_eq!(is_taken(&db, &row).await, is_open, "{row:?}");
                assert_eq!(Submission::try_from(row).is_ok(), is_open);
            }
        }
    }
}

#[test]
fn a_damaged_row_names_table_document_and_column() {
    let lacking = Row { number: Some("F-1".to_owned()), ..bare(Stage::Starting) };
    is_damaged(
        lacking,
        "the stored submission '00000000-0000-0000-0000-000000000001' is damaged: column entry_id holds nothing, which the \
         stage starting must have",
    );
    let extra = Row { job_id: Some(VERSION7), ..bare(Stage::Requested) };
    is_damaged(
        extra,
        "the stored submission '00000000-0000-0000-0000-000000000001' is damaged: column job_id holds a value, which the \
         stage requested does not have",
    );
}

fn is_damaged(row: Row, sentence: &str) {
    assert_eq!(Submission::try_from(row).unwrap_err().to_string(), sentence);
}
