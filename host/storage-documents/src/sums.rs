//! Sums and counts of documents, kept where documents change: triggers of the database write down what each change adds and takes
//! away, and what was written down is added up here, from time to time. Whoever reads adds both.

use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{Param, params, statements};
use gateway_database::{Db, Tx};

/// Most changes that are added up in one transaction.
const BATCH: i64 = 5_000;

/// How a number of the changes is added to the one that is kept.
macro_rules! adding {
    ($table:literal: $($column:literal),+) => {
        gateway_database::sql::listed!($(concat!($column, " = ", $table, ".", $column, " + excluded.", $column)),+)
    };
}

macro_rules! total {
    ($($column:literal),+) => {
        gateway_database::sql::listed!($(concat!("CAST(SUM(", $column, ") AS BIGINT)")),+)
    };
}

macro_rules! document_keys {
    () => {
        "workspace_id, status, issue_date, kind, currency"
    };
}

macro_rules! rate_keys {
    () => {
        "workspace_id, issue_date, category, rate, exemption, surcharge, kind, currency"
    };
}

/// The columns with numbers, handed to a macro.
macro_rules! document_numbers {
    ($macro:ident $($before:tt)*) => {
        $macro!($($before)* "documents", "net_high", "net_low", "tax_high", "tax_low", "gross_high", "gross_low",
            "retained_high", "retained_low", "payable_high", "payable_low")
    };
}

macro_rules! rate_numbers {
    ($macro:ident $($before:tt)*) => {
        $macro!($($before)* "documents", "base_high", "base_low", "amount_high", "amount_low")
    };
}

macro_rules! names {
    ($($column:literal),+) => {
        gateway_database::sql::listed!($($column),+)
    };
}

macro_rules! add_documents {
    () => {
        concat!(
            "INSERT INTO derived_document_sum (",
            document_keys!(),
            ", ",
            document_numbers!(names),
            ") SELECT ",
            document_keys!(),
            ", ",
            document_numbers!(total),
            " FROM derived_document_sum_change WHERE "
        )
    };
}

macro_rules! add_rates {
    () => {
        concat!(
            "INSERT INTO derived_rate_sum (",
            rate_keys!(),
            ", ",
            rate_numbers!(names),
            ") SELECT ",
            rate_keys!(),
            ", ",
            rate_numbers!(total),
            " FROM derived_rate_sum_change WHERE "
        )
    };
}

// In the order of the keys: two processes that add up wait for each other, and never both.
macro_rules! to_documents {
    () => {
        concat!(
            " GROUP BY ", document_keys!(), " ORDER BY ", document_keys!(), " ON CONFLICT (", document_keys!(), ") DO UPDATE SET ",
            document_numbers!(adding "derived_document_sum":)
        )
    };
}

macro_rules! to_rates {
    () => {
        concat!(
            " GROUP BY ", rate_keys!(), " ORDER BY ", rate_keys!(), " ON CONFLICT (", rate_keys!(), ") DO UPDATE SET ",
            rate_numbers!(adding "derived_rate_sum":)
        )
    };
}

statements! {
    ANY_CHANGE = "SELECT id FROM derived_document_sum_change UNION ALL SELECT id FROM derived_rate_sum_change LIMIT 1";
    DOCUMENT_CHANGES = each ["SELECT id FROM derived_document_sum_change ORDER BY id LIMIT $1", (lock " FOR UPDATE SKIP LOCKED")];
    ADD_DOCUMENTS = each [(add_documents!), (among "id", "$1"), (to_documents!)];
    COUNT_DOCUMENTS = each ["INSERT INTO derived_document_count (workspace_id, status, documents)
        SELECT workspace_id, status, CAST(SUM(documents) AS BIGINT) FROM derived_document_sum_change WHERE ", (among "id", "$1"), "
        GROUP BY workspace_id, status ORDER BY workspace_id, status
        ON CONFLICT (workspace_id, status) DO UPDATE SET documents = derived_document_count.documents + excluded.documents"];
    FORGET_DOCUMENT_CHANGES = each ["DELETE FROM derived_document_sum_change WHERE ", (among "id", "$1")];
    RATE_CHANGES = each ["SELECT id FROM derived_rate_sum_change ORDER BY id LIMIT $1", (lock " FOR UPDATE SKIP LOCKED")];
    ADD_RATES = each [(add_rates!), (among "id", "$1"), (to_rates!)];
    FORGET_RATE_CHANGES = each ["DELETE FROM derived_rate_sum_change WHERE ", (among "id", "$1")];
}

/// Whether there are changes that are not added up yet.
pub async fn any_change(db: &Db) -> Result<bool, StoreError> {
    let change: Option<(i64,)> = Executor::from(db).optional(&ANY_CHANGE, params![]).await?;
    Ok(change.is_some())
}

/// Adds up a batch of changes, and says how many they were: none when nobody wrote any, or another process adds them up.
pub async fn add_up(tx: &mut Tx) -> Result<usize, StoreError> {
    let documents = taken(tx.fetch_all(&DOCUMENT_CHANGES, params![BATCH]).await?);
    if let Some(ids) = &documents {
        for statement in [&ADD_DOCUMENTS, &COUNT_DOCUMENTS, &FORGET_DOCUMENT_CHANGES] {
            tx.execute(statement, vec![Param::Ints(Some(ids.clone()))]).await?;
        }
    }
    let rates = taken(tx.fetch_all(&RATE_CHANGES, params![BATCH]).await?);
    if let Some(ids) = &rates {
        for statement in [&ADD_RATES, &FORGET_RATE_CHANGES] {
            tx.execute(statement, vec![Param::Ints(Some(ids.clone()))]).await?;
        }
    }
    Ok([documents, rates].iter().flatten().map(Vec::len).sum())
}

fn taken(rows: Vec<(i64,)>) -> Option<Vec<i64>> {
    let ids: Vec<i64> = rows.into_iter().map(|(id,)| id).collect();
    (!ids.is_empty()).then_some(ids)
}
