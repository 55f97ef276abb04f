//! `gateway invoice …`.

mod amend;
mod annotations;
mod pdf;

use crate::args::{DocumentName, InvoiceCommand, IssueArgs};
use crate::{CommandContext, Program};
use gateway_config::Config;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::fault::Fault;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{
    Balance, DocumentFilter, DocumentOrder, DocumentPageKey, GrossRange, Invoice, IssuePeriod, LineTax,
    Recipient, State, Status,
};
use gateway_domain_finance::{CommandForm, Route};
use gateway_finance::{CommandError, Execution, Outcome};
use gateway_invoicing::{DocumentView, ListedDocuments, PAGE_MAX, TimelineEntry};
use gateway_terminal::{self as terminal, Column, Failure, Out, Text};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::HashMap;

/// Longest name of a recipient, or of what is billed, in a list that no terminal wraps.
const NAME_CHARS_MAX: usize = 24;

/// Some documents.
#[derive(Serialize)]
struct DocumentList<'a> {
    documents: Vec<DocumentView<'a>>,
    /// Whether there are others.
    more: bool,
}

/// A document with its history.
#[derive(Serialize)]
struct DocumentWithTimeline<'a> {
    document: DocumentView<'a>,
    timeline: Vec<EventView<'a>>,
}

/// Something that happened to a document.
#[derive(Serialize)]
struct EventView<'a> {
    at: Timestamp,
    event: &'a str,
    actor: &'a Actor,
}

/// What an issue did, or would do.
#[derive(Serialize)]
struct IssueView<'a> {
    /// Whether nothing was done.
    dry_run: bool,
    document: DocumentView<'a>,
    /// Where the document would go; only of a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    route: Option<&'static str>,
    faults: &'a [Fault],
}

/// Carries it out.
pub async fn run(
    command: InvoiceCommand,
    config: &Config,
    program: &Program,
    out: Out,
) -> Result<(), Failure> {
    program.run(config, async |context| Box::pin(execute(context, config, command, out)).await).await
}

async fn execute(
    context: &CommandContext,
    config: &Config,
    command: InvoiceCommand,
    out: Out,
) -> Result<(), Failure> {
    let operator = Acting { workspaces: Workspaces::All, actor: context.operator.clone(), request: None };
    match command {
        InvoiceCommand::List {
            workspace,
            state,
            booking,
            number,
            kind,
            recipient,
            issued_from,
            issued_to,
            gross_from,
            gross_to,
            accepted_with_errors,
            limit,
        } => {
            let order = DocumentOrder::NewestFirst;
            let filter = DocumentFilter {
                workspace,
                status: state,
                booking,
                number,
                number_prefix: None,
                document_type: kind,
                recipient,
                issued: IssuePeriod { from: issued_from, to: issued_to },
                gross: GrossRange { from: gross_from, to: gross_to },
                accepted_with_errors,
                order,
                updated_after: None,
            };
            list(context, &operator, &filter, limit, out).await
        }
        InvoiceCommand::Show { document } => show(context, &operator, document, out).await,
        InvoiceCommand::Pdf(args) => {
            gateway_registry::load(&context.plugins, config.plugins_dir()).await?;
            let uuid = resolve(context, &operator, args.document.clone()).await?;
            pdf::write(context, &operator, (uuid, args), out).await
        }
        InvoiceCommand::Issue(args) => {
            gateway_registry::load(&context.plugins, config.plugins_dir()).await?;
            issue(context, &operator, args, Status::Draft, out).await
        }
        InvoiceCommand::Resubmit(args) => {
            gateway_registry::load(&context.plugins, config.plugins_dir()).await?;
            issue(context, &operator, args, Status::Rejected, out).await
        }
        InvoiceCommand::Amend(args) => {
            gateway_registry::load(&context.plugins, config.plugins_dir()).await?;
            amend::amend(context, &operator, args, out).await
        }
        InvoiceCommand::Amendments { document } => amend::list(context, &operator, document, out).await,
        InvoiceCommand::WithdrawAmendment { document } => {
            amend::withdraw(context, &operator, document, out).await
        }
        InvoiceCommand::Annotation(command) => annotations::execute(context, &operator, command, out).await,
    }
}

async fn show(
    context: &CommandContext,
    operator: &Acting,
    document: DocumentName,
    out: Out,
) -> Result<(), Failure> {
    let uuid = resolve(context, operator, document).await?;
    let document = find(context, operator, uuid).await?;
    let mut timelines = context.documents.timelines(operator, &[uuid]).await?;
    let timeline = timelines.remove(&uuid).unwrap_or_default();
    let events = timeline.iter().map(EventView::from).collect();
    let documents = std::slice::from_ref(&document);
    let balances = ListedDocuments::balances(&context.documents, documents).await?;
    let view = DocumentWithTimeline { document: with_balance(&document, &balances), timeline: events };
    out.data(&view, || details(&document, balances.get(&uuid), &timeline));
    Ok(())
}

async fn list(
    context: &CommandContext,
    operator: &Acting,
    filter: &DocumentFilter,
    limit: i64,
    out: Out,
) -> Result<(), Failure> {
    if let Some(workspace) = filter.workspace {
        ensure_known(context, workspace).await?;
    }
    if let Some((from, to)) = filter.backwards().map(|(from, to)| (option(from), option(to))) {
        return Err(Failure::misuse(format!("--{to} lies before --{from}: swap the two")));
    }
    let limit = usize::try_from(limit).unwrap_or(PAGE_MAX);
    let (documents, more) = listed(context, operator, filter, limit).await?;
    let balances = ListedDocuments::balances(&context.documents, &documents).await?;
    let views = documents.iter().map(|document| with_balance(document, &balances)).collect();
    let view = DocumentList { documents: views, more };
    out.data(&view, || rows(&documents));
    if more {
        terminal::note(&format!(
            "note: there are more than these {limit}: narrow them with --workspace, --state, --recipient or the other options, \
             or raise --limit"
        ));
    }
    Ok(())
}

/// A document with what is left of it, where that is known: a remote invoice data service tells it of its documents itself.
fn with_balance<'a>(document: &'a Invoice, balances: &'a HashMap<InvoiceId, Balance>) -> DocumentView<'a> {
    match balances.get(&document.id) {
        Some(balance) => DocumentView::with_balance(document, balance),
        None => DocumentView::from(document),
    }
}

async fn ensure_known(context: &CommandContext, workspace: WorkspaceId) -> Result<(), Failure> {
    match context.workspaces.find(workspace).await? {
        Some(_) => Ok(()),
        None => Err(gateway_workspaces::WorkspaceError::Unknown(workspace).into()),
    }
}

/// The option of a filter.
fn option(member: &str) -> String {
    member.replace('_', "-")
}

/// The first documents of a list, page by page, and whether there are others.
async fn listed(
    context: &CommandContext,
    operator: &Acting,
    filter: &DocumentFilter,
    limit: usize,
) -> Result<(Vec<Invoice>, bool), Failure> {
    let mut documents: Vec<Invoice> = Vec::new();
    let mut after: Option<DocumentPageKey> = None;
    loop {
        let first = limit.saturating_sub(documents.len()).min(PAGE_MAX);
        let page = context.documents.page(operator, filter, after, first).await?;
        after = page.end();
        documents.extend(page.nodes);
        if !page.has_next || documents.len() >= limit {
            return Ok((documents, page.has_next));
        }
    }
}

/// The document of a UUID, or the only one of a number.
async fn resolve(
    context: &CommandContext,
    operator: &Acting,
    name: DocumentName,
) -> Result<InvoiceId, Failure> {
    let number = match name {
        DocumentName::Id(id) => return Ok(id),
        DocumentName::Number(number) => number,
    };
    let filter = DocumentFilter { number: Some(number.clone()), ..DocumentFilter::default() };
    let found = context.documents.page(operator, &filter, None, PAGE_MAX).await?.nodes;
    match found.as_slice() {
        [] => Err(Failure::refused(format!(
            "there is no document {number}: copy a whole UUID or number from 'gateway invoice list'"
        ))),
        [only] => Ok(only.id),
        several => {
            let ids: Vec<_> = several.iter().map(|document| document.id.to_string()).collect();
            Err(Failure::refused(format!(
                "{number} is the number of {}: name one of them",
                ids.join(" and ")
            )))
        }
    }
}

async fn find(context: &CommandContext, operator: &Acting, uuid: InvoiceId) -> Result<Invoice, Failure> {
    context.finance.invoice(operator, uuid).await?.ok_or_else(|| no_document(uuid))
}

fn no_document(uuid: InvoiceId) -> Failure {
    Failure::refused(format!("there is no document {uuid}: list them with 'gateway invoice list'"))
}

/// Issues a document that is in the state that the command is for.
async fn issue(
    context: &CommandContext,
    operator: &Acting,
    IssueArgs { document, dry_run }: IssueArgs,
    from: Status,
    out: Out,
) -> Result<(), Failure> {
    let uuid = resolve(context, operator, document).await?;
    let document = find(context, operator, uuid).await?;
    match (document.state.status(), from) {
        (Status::Rejected, Status::Draft) => {
            return Err(Failure::refused(format!(
                "{uuid} is rejected: mend it, and send it again with 'gateway invoice resubmit {uuid}'"
            )));
        }
        (Status::Draft, Status::Rejected) => {
            return Err(Failure::refused(format!(
                "{uuid} is a draft: issue it with 'gateway invoice issue {uuid}'"
            )));
        }
        // What other states refuse the rules say.
        _ => {}
    }
    let execution = if dry_run { Execution::DryRun } else { Execution::Commit };
    let form = CommandForm::Issue { at: None };
    let outcome = context.finance.command(operator, uuid, form, Some(document.version), execution).await;
    let outcome = outcome.map_err(|error| not_issued(uuid, error))?;
    let view = IssueView {
        dry_run,
        document: DocumentView::from(
            outcome.dry_run.as_ref().map_or(&outcome.document, |trial| &trial.document),
        ),
        route: outcome.dry_run.as_ref().map(|trial| route(trial.route)),
        faults: faults(&outcome),
    };
    out.data(&view, || issued(&outcome));
    Ok(())
}

const fn route(route: Route) -> &'static str {
    match route {
        Route::Standard => "standard",
        Route::TaxAuthority => "tax_authority",
    }
}

fn faults(outcome: &Outcome) -> &[Fault] {
    outcome.dry_run.as_ref().map_or(&outcome.warnings, |trial| &trial.faults)
}

fn not_issued(uuid: InvoiceId, error: CommandError) -> Failure {
    match error {
        CommandError::Gone => no_document(uuid),
        CommandError::Preflight(faults) => {
            let found: Vec<String> = faults.iter().map(fault).collect();
            Failure::refused(format!("{}: {}", CommandError::Preflight(Vec::new()), found.join("; ")))
        }
        error => error.into(),
    }
}

fn fault(fault: &Fault) -> String {
    let Fault { code, path, message, .. } = fault;
    if path.is_empty() { format!("{code}: {message}") } else { format!("{code} at {path}: {message}") }
}

fn issued(outcome: &Outcome) -> String {
    let document = &outcome.document;
    let number = document.state.number().map(ToString::to_string).unwrap_or_default();
    let first = match (&outcome.dry_run, document.state.status()) {
        (Some(trial), _) if trial.faults.iter().any(Fault::stops) => {
            "It would not be issued; nothing was done.".to_owned()
        }
        (Some(trial), _) => match trial.route {
            Route::Standard => "It would be issued at once; nothing was done.".to_owned(),
            Route::TaxAuthority => "It would go to the tax authority; nothing was done.".to_owned(),
        },
        (None, Status::Issuing) => {
            format!("{number} is on its way: follow it with 'gateway submission show {}'", document.id)
        }
        (None, status) => format!("{number} is {}", status.as_str()),
    };
    let mut lines = vec![first];
    lines.extend(faults(outcome).iter().map(fault));
    lines.join("\n")
}

impl<'a> From<&'a TimelineEntry> for EventView<'a> {
    fn from(entry: &'a TimelineEntry) -> Self {
        Self { at: entry.at, event: &entry.event, actor: &entry.actor }
    }
}

fn total(document: &Invoice) -> String {
    format!("{} {}", document.totals.payable, document.content.currency)
}

fn rows(documents: &[Invoice]) -> Text {
    let columns = [
        Column::id("DOCUMENT"),
        Column::state("STATE"),
        Column::number("NUMBER"),
        Column::value("TOTAL"),
        Column::text("RECIPIENT").cut(NAME_CHARS_MAX),
    ];
    let rows = documents.iter().map(|document| {
        let name = document.content.recipient.as_ref().map(Recipient::name);
        vec![
            document.id.to_string(),
            document.state.status().as_str().to_owned(),
            document.state.number().map(ToString::to_string).unwrap_or_default(),
            total(document),
            name.map(str::to_owned).unwrap_or_default(),
        ]
    });
    terminal::listing(columns, rows)
}

fn details(document: &Invoice, balance: Option<&Balance>, timeline: &[TimelineEntry]) -> Text {
    let content = &document.content;
    let mut parts = vec![terminal::table(&facts(document, balance))];
    if !content.lines.is_empty() {
        let lines = content.lines.iter().zip(&document.totals.lines).map(|(line, totals)| {
            vec![
                line.description.clone(),
                line.quantity.to_string(),
                line.unit_price.to_string(),
                tax(&line.tax),
                totals.total.to_string(),
            ]
        });
        let columns = [
            Column::text("LINE").cut(NAME_CHARS_MAX),
            Column::value("QUANTITY"),
            Column::value("PRICE"),
            Column::value("TAX"),
            Column::value("TOTAL"),
        ];
        parts.push(terminal::listing(columns, lines));
    }
    if !timeline.is_empty() {
        let events = timeline.iter().map(|entry| {
            vec![format!("{:.0}", entry.at), entry.event.clone(), entry.actor.name().to_owned()]
        });
        let columns = [Column::value("TIME"), Column::value("EVENT"), Column::text("ACTOR")];
        parts.push(terminal::listing(columns, events));
    }
    Text::paragraphs(parts)
}

/// A rate, or why there is none.
fn tax(tax: &LineTax) -> String {
    let rate = tax.rate.as_ref().map(|rate| format!("{rate} %"));
    rate.or_else(|| tax.exemption.clone()).unwrap_or_default()
}

/// What a document is, a name and a value each; with what is left of it, where that is known.
fn facts(document: &Invoice, balance: Option<&Balance>) -> Vec<Vec<String>> {
    let (content, totals) = (&document.content, &document.totals);
    let mut facts = vec![
        ("document", document.id.to_string()),
        ("kind", content.document_type.as_str().to_owned()),
        ("workspace", document.workspace.to_string()),
        ("state", document.state.status().as_str().to_owned()),
        ("number", document.state.number().map_or_else(|| "none".to_owned(), ToString::to_string)),
    ];
    if let Some(recipient) = &content.recipient {
        facts.push(("recipient", recipient.name().to_owned()));
    }
    if let Some(date) = content.issue_date {
        facts.push(("issue date", date.to_string()));
    }
    if let Some(booking) = content.booking_id {
        facts.push(("booking", booking.to_string()));
    }
    facts.push(("net", totals.net.to_string()));
    facts.push(("tax", totals.tax.to_string()));
    facts.push(("to pay", total(document)));
    if let Some(balance) = balance {
        facts.push(("credited", balance.credited.to_string()));
        facts.push(("refunded", balance.refunded.to_string()));
        facts.push(("open", balance.open.to_string()));
    }
    match &document.state {
        State::Draft | State::Issuing { .. } => {}
        State::Issued { acceptance, imported, .. } => {
            if let Some(origin) = imported {
                facts.push(("imported from", origin.system_name()));
            }
            if let Some(acceptance) = acceptance {
                facts.push(("accepted", format!("{:.0}", acceptance.accepted_at)));
                facts.extend(acceptance.qr_url.clone().map(|url| ("QR code", url)));
                facts.extend(acceptance.tax_system_hash.clone().map(|hash| ("hash", hash)));
                let remarks = acceptance.warnings.iter();
                facts.extend(remarks.map(|found| ("remark", format!("{}: {}", found.code, found.message))));
            }
        }
        State::Rejected { reason, .. } => facts.push(("rejected", reason.clone())),
    }
    facts.push(("version", document.version.to_string()));
    facts.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_names_the_member_that_it_is_about() {
        assert_eq!(fault(&Fault::error("C-1", "/a", "mend a")), "C-1 at /a: mend a");
        assert_eq!(fault(&Fault::error("C-1", "", "mend it")), "C-1: mend it");
    }
}
