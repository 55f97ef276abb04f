//! What each series of numbers has given.

use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::statements;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{GivenNumber, NumberChain};

statements! {
    // A position of a series is given once by the primary key, so as many as there are places between first and last are all.
    CHAINS = "SELECT s.workspace_id, s.kind, s.year, s.next_no, MIN(n.no) AS first_no, MAX(n.no) AS last_no, COUNT(n.no) AS given,
            (SELECT f.number FROM invoice_number f WHERE f.workspace_id = s.workspace_id AND f.kind = s.kind AND f.year = s.year
                ORDER BY f.no LIMIT 1) AS first_number,
            (SELECT l.number FROM invoice_number l WHERE l.workspace_id = s.workspace_id AND l.kind = s.kind AND l.year = s.year
                ORDER BY l.no DESC LIMIT 1) AS last_number
        FROM series s LEFT JOIN invoice_number n ON n.workspace_id = s.workspace_id AND n.kind = s.kind AND n.year = s.year
        GROUP BY s.workspace_id, s.kind, s.year, s.next_no ORDER BY s.workspace_id, s.kind, s.year";
}

#[derive(sqlx::FromRow)]
struct Row {
    workspace_id: i64,
    kind: String,
    year: i64,
    next_no: i64,
    first_no: Option<i64>,
    last_no: Option<i64>,
    given: i64,
    first_number: Option<String>,
    last_number: Option<String>,
}

impl Row {
    fn chain(self) -> NumberChain {
        let end = |position: Option<i64>, number| Some(GivenNumber { position: position?, number: number? });
        NumberChain {
            workspace: WorkspaceId(self.workspace_id),
            kind: self.kind,
            year: self.year,
            next: self.next_no,
            ends: end(self.first_no, self.first_number).zip(end(self.last_no, self.last_number)),
            given: self.given,
        }
    }
}

/// Every series there is, by workspace, kind and year.
pub async fn all(on: impl Into<Executor<'_>>) -> Result<Vec<NumberChain>, StoreError> {
    let rows: Vec<Row> = on.into().all(&CHAINS, Vec::new()).await?;
    Ok(rows.into_iter().map(Row::chain).collect())
}
