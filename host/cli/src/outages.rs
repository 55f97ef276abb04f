//! `gateway submission outages` and what declares them: the evidence of what stood in the way of filings.

use crate::CommandContext;
use crate::args::DeclareArgs;
use gateway_domain_deadline::{Declaration, KeptOutage, Outage, OutageBody};
use gateway_terminal::{self as terminal, Column, Failure, Out};
use jiff::Timestamp;
use serde::Serialize;
use uuid::Uuid;

/// The evidence of outages, as far as one list shows it.
#[derive(Serialize)]
struct OutageList {
    outages: Vec<OutageBody>,
}

/// The newest.
pub(super) async fn list(context: &CommandContext, limit: i64, out: Out) -> Result<(), Failure> {
    let kept = context.deadlines.outages(limit).await?;
    let list = OutageList { outages: kept.iter().map(OutageBody::from).collect() };
    show(&list, out);
    Ok(())
}

/// Somebody declares one.
pub(super) async fn declare(
    context: &CommandContext,
    declared: DeclareArgs,
    out: Out,
) -> Result<(), Failure> {
    let DeclareArgs { side, since, until, reason } = declared;
    let declaration = Declaration { side, since, until, reason };
    let outage = context.deadlines.declare(&context.operator, declaration).await?;
    show_one(outage, out);
    Ok(())
}

/// Somebody says when one ended that was declared.
pub(super) async fn end(
    context: &CommandContext,
    uuid: Uuid,
    at: Option<Timestamp>,
    out: Out,
) -> Result<(), Failure> {
    show_one(context.deadlines.end_declared(&context.operator, uuid, at).await?, out);
    Ok(())
}

fn show_one(outage: Outage, out: Out) {
    show(&OutageList { outages: vec![OutageBody::from(&KeptOutage { outage, is_intact: true })] }, out);
}

fn show(list: &OutageList, out: Out) {
    out.data(list, || {
        let columns = [
            Column::id("OUTAGE"),
            Column::value("SIDE"),
            Column::value("CALL"),
            Column::value("SINCE"),
            Column::value("UNTIL"),
            Column::value("FAILURES"),
            Column::state("EVIDENCE"),
            Column::text("LAST ERROR, OR WHY"),
        ];
        let rows = list.outages.iter().map(|outage| {
            vec![
                outage.id.to_string(),
                outage.side.as_str().to_owned(),
                outage.call.as_str().to_owned(),
                format!("{:.0}", outage.since),
                outage.until.map_or_else(|| "lasts".to_owned(), |until| format!("{until:.0}")),
                outage.failures.to_string(),
                if outage.intact { "intact" } else { "changed" }.to_owned(),
                outage.last_error.clone(),
            ]
        });
        terminal::listing(columns, rows)
    });
}
