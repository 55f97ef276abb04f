//! What each series of numbers has given.

use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_database::value::Id;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{DocumentKind, SeriesKey};
use gateway_domain_numbers::{ChainedNumber, GivenNumber, NumberChain, NumberLink, SeriesExtent};

statements! {
    // A position of a series is given once by the primary key, so as many as there are places between first and last are all.
    CHAINS = "SELECT s.workspace_id, s.kind, s.year, s.next_no, MIN(n.no) AS first_no, MAX(n.no) AS last_no, COUNT(n.no) AS given,
            (SELECT f.number FROM invoice_number f WHERE f.workspace_id = s.workspace_id AND f.kind = s.kind AND f.year = s.year
                ORDER BY f.no LIMIT 1) AS first_number,
            (SELECT l.number FROM invoice_number l WHERE l.workspace_id = s.workspace_id AND l.kind = s.kind AND l.year = s.year
                ORDER BY l.no DESC LIMIT 1) AS last_number
        FROM series s LEFT JOIN invoice_number n ON n.workspace_id = s.workspace_id AND n.kind = s.kind AND n.year = s.year
        GROUP BY s.workspace_id, s.kind, s.year, s.next_no ORDER BY s.workspace_id, s.kind, s.year";
    OF_WORKSPACE = "SELECT kind, year, first_no, next_no FROM series WHERE workspace_id = $1 ORDER BY kind, year";
    // The planner knows how many rows it is about, and so takes those that belong to them one by one.
    NUMBERS = "SELECT n.kind, n.year, n.no, n.number, n.invoice_id, i.number AS carried
        FROM invoice_number n LEFT JOIN invoice i ON i.id = n.invoice_id
        WHERE n.workspace_id = $1 AND (n.kind, n.year, n.no) > ($2, $3, $4) ORDER BY n.kind, n.year, n.no LIMIT 128";
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

/// Kind, year, position, number, document, and the number that the document carries.
type NumberRow = (String, i64, i64, String, Id, Option<String>);

fn series_key(workspace: WorkspaceId, kind: &str, year: i64) -> Result<SeriesKey, StoreError> {
    let damaged = |column, found: &dyn std::fmt::Display| Corrupt::new("series", workspace, column, found);
    let kind = DocumentKind::parse(kind).ok_or_else(|| damaged("kind", &kind))?;
    let year = i16::try_from(year).map_err(|_| damaged("year", &year))?;
    Ok(SeriesKey { workspace, kind, year })
}

/// Every series of a workspace, by kind and year: two a year at most.
pub async fn of_workspace(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
) -> Result<Vec<SeriesExtent>, StoreError> {
    let rows: Vec<(String, i64, Option<i64>, i64)> = on.into().all(&OF_WORKSPACE, params![workspace]).await?;
    let extent = |(kind, year, start, next): (String, _, _, _)| {
        Ok(SeriesExtent { key: series_key(workspace, &kind, year)?, start, next })
    };
    rows.into_iter().map(extent).collect()
}

/// Numbers that a workspace gave, by kind, year and position: a page of those after one, none behind the last.
pub async fn numbers(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
    after: Option<&ChainedNumber>,
) -> Result<Vec<ChainedNumber>, StoreError> {
    let (kind, year, position) = after
        .map_or(("", 0, 0), |after| (after.series.kind.as_str(), after.series.year, after.link.position));
    let rows: Vec<NumberRow> = on.into().all(&NUMBERS, params![workspace, kind, year, position]).await?;
    let number = |(kind, year, position, number, document, carried): NumberRow| {
        let link = NumberLink { position, number, document: InvoiceId(document.0) };
        let series = series_key(workspace, &kind, year)?;
        Ok(ChainedNumber { series, link, is_carried: carried.is_some() })
    };
    rows.into_iter().map(number).collect()
}
