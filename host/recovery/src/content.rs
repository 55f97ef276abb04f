//! What a database holds.

use crate::manifest::{Content, SeriesContent, SeriesNumber, TableContent};
use gateway_domain::StoreError;
use gateway_domain_numbers::{GivenNumber, NumberChain};
use gateway_storage::Executor;
use gateway_storage::number_chains;
use gateway_storage::tables::{Schema, TableDigest};

/// Reads all of it.
pub(crate) async fn read(on: impl Into<Executor<'_>>) -> Result<Content, StoreError> {
    let mut on = on.into();
    let schema = Schema::read(on.reborrow()).await?;
    let mut tables = Vec::with_capacity(schema.tables.len());
    for table in &schema.tables {
        let TableDigest { rows, sha256 } = TableDigest::of(on.reborrow(), &schema, table).await?;
        tables.push(TableContent { name: table.name.clone(), rows, sha256 });
    }
    tables.sort_by(|one, other| one.name.cmp(&other.name));
    let series = number_chains::all(on).await?.into_iter().map(SeriesContent::from).collect();
    Ok(Content { tables, series })
}

impl From<NumberChain> for SeriesContent {
    fn from(chain: NumberChain) -> Self {
        let without_gap = chain.is_whole();
        let number = |GivenNumber { position, number }| SeriesNumber { position, number };
        let (first, last) = chain.ends.map(|(first, last)| (number(first), number(last))).unzip();
        Self {
            workspace_id: chain.workspace.0,
            kind: chain.kind,
            year: chain.year,
            first,
            last,
            given: chain.given,
            next: chain.next,
            without_gap,
        }
    }
}
