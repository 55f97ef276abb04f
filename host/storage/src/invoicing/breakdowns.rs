//! The breakdowns of issued documents by category and rate, which reports add up.

use crate::Tx;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_domain::invoicing::{Invoice, Status, in_ten_thousandths};
use serde::Serialize;

statements! {
    DELETE_RATES = "DELETE FROM invoice_rate WHERE document_id = $1";
    // Rows without a workspace were written by an older release, and no report reads them.
    INSERT_RATES = each ["INSERT INTO invoice_rate (document_id, workspace_id, issue_date, kind, currency, category, rate, exemption, surcharge,
            base_ten_thousandths, amount_ten_thousandths)
        SELECT $1, $2, $3, $4, $5, r.category, r.rate, r.exemption, r.surcharge, r.base, r.amount FROM ",
        (rows "$6" as r: category TEXT, rate TEXT, exemption TEXT, surcharge TEXT, base BIGINT, amount BIGINT), "
        WHERE NOT EXISTS (SELECT 1 FROM invoice_rate WHERE document_id = $1 AND workspace_id IS NOT NULL)"];
}

/// A row of a breakdown as it is stored.
#[derive(Serialize)]
struct StoredRate<'a> {
    category: &'a str,
    rate: Option<String>,
    exemption: Option<&'a str>,
    surcharge: Option<String>,
    base: i64,
    amount: i64,
}

/// Stores the breakdown of a document that is issued, once; any other has none.
pub(crate) fn insert_rates(tx: &mut Tx, invoice: &Invoice) -> Result<(), StoreError> {
    let (content, rates) = (&invoice.content, &invoice.totals.rates);
    if invoice.state.status() != Status::Issued || rates.is_empty() {
        return Ok(());
    }
    let rows = rates.iter().map(|row| StoredRate {
        category: &row.category,
        rate: row.rate.map(|rate| rate.to_string()),
        exemption: row.exemption.as_deref(),
        surcharge: row.surcharge.map(|surcharge| surcharge.to_string()),
        base: in_ten_thousandths(row.base),
        amount: in_ten_thousandths(row.amount)
            .saturating_add(row.surcharge_amount.map_or(0, in_ten_thousandths)),
    });
    let rows: Vec<StoredRate<'_>> = rows.collect();
    let arguments = params![
        invoice.id,
        invoice.workspace,
        content.issue_date.map(|date| date.to_string()),
        content.document_type.as_str(),
        &content.currency,
        StoreError::json(&rows)?,
    ];
    tx.execute_later(&INSERT_RATES, arguments);
    Ok(())
}

/// Stores the breakdown of a document anew.
pub(crate) fn replace_rates(tx: &mut Tx, invoice: &Invoice) -> Result<(), StoreError> {
    tx.execute_later(&DELETE_RATES, params![invoice.id]);
    insert_rates(tx, invoice)
}
