//! The statements of the operation, in its order, with arguments that were made beforehand: nothing is parsed,
//! decided or written as JSON.

use gateway_domain::StoreError;
use gateway_domain::invoicing::{Invoice, NumberPattern, in_ten_thousandths};
use gateway_invoicing::DocumentView;
use gateway_storage::testing::statement;
use gateway_storage::{Db, Id, Param, Sql};
use jiff::Timestamp;
use uuid::Uuid;

/// The year of the series; another one than that of the other ways changes nothing.
const YEAR: i16 = 2026;

/// Where the number stands among the arguments of the update.
const NUMBER_PLACE: usize = 5;

/// The statements of issuing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statements {
    lock: Sql,
    workspace: Sql,
    corrective: Sql,
    reserve: Sql,
    hold: Sql,
    claim: Sql,
    record: Sql,
    update: Sql,
    append: Sql,
}

impl Statements {
    pub(crate) fn new() -> Self {
        Self {
            lock: statement("invoices", "LOCK"),
            workspace: statement("workspaces", "FIND"),
            corrective: statement("correctives", "FIND_LOCAL"),
            reserve: statement("numbers", "RESERVE"),
            hold: statement("workspaces", "HOLD"),
            claim: statement("numbers", "CLAIM"),
            record: statement("numbers", "RECORD"),
            update: statement("invoices", "UPDATE"),
            append: statement("events", "APPEND"),
        }
    }

    /// Issues a draft.
    pub(crate) async fn issue(&self, db: &Db, draft: &Draft) -> Result<(), StoreError> {
        let mut tx = db.begin().await?;
        let _: Option<(Id, i64, String)> = tx.fetch_optional(&self.lock, vec![draft.id.into()]).await?;
        let _: Option<(i64, String)> = tx.fetch_optional(&self.workspace, vec![draft.workspace()]).await?;
        let _: Option<(Id,)> = tx.fetch_optional(&self.corrective, vec![draft.id.into()]).await?;
        let (position,): (i64,) = tx.fetch_one(&self.reserve, draft.series()).await?;
        let number = draft.pattern.format(YEAR, position).0;
        let _: Option<(i64, String)> = tx.fetch_optional(&self.hold, vec![draft.workspace()]).await?;
        let issuer = format!("issuer of workspace {}", draft.invoice.workspace.0);
        tx.execute(&self.claim, vec![issuer.into(), number.clone().into(), draft.id.into()]).await?;
        let mut record = draft.series();
        record.extend([position.into(), number.clone().into(), draft.id.into(), draft.at.into()]);
        tx.execute_later(&self.record, record);
        let mut update = draft.update.clone();
        if let Some(place) = update.get_mut(NUMBER_PLACE) {
            *place = number.into();
        }
        tx.execute(&self.update, update).await?;
        let _: (i64,) = tx.fetch_one(&self.append, draft.append.clone()).await?;
        tx.commit().await
    }
}

/// A draft with the arguments of its statements.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) invoice: Invoice,
    id: Uuid,
    at: Timestamp,
    pattern: NumberPattern,
    update: Vec<Param>,
    append: Vec<Param>,
}

impl Draft {
    pub(crate) fn new(invoice: Invoice, event: Uuid) -> Result<Self, serde_json::Error> {
        let (id, at) = (invoice.id.0, invoice.created_at);
        let (content, totals) = (&invoice.content, &invoice.totals);
        let none = || Param::Text(None);
        let mut update = vec![
            id.into(),
            invoice.version.into(),
            "issuing".into(),
            serde_json::to_string(content)?.into(),
            serde_json::to_string(totals)?.into(),
            none(),
            true.into(),
            at.into(),
            Param::Ts(None),
            none(),
            Param::Ts(None),
            none(),
            (invoice.version + 1).into(),
            content.document_type.as_str().into(),
            content.booking_id.into(),
            content.issue_date.map(|date| date.to_string()).into(),
            false.into(),
            content.currency.as_str().into(),
        ];
        let figures = [totals.net, totals.tax, totals.gross, totals.retained, totals.payable];
        update.extend(figures.map(|figure| in_ten_thousandths(figure).into()));
        update.push(at.into());
        let append = vec![
            event.into(),
            "/invoicing".into(),
            invoice.workspace.into(),
            id.into(),
            "DocumentIssuing".into(),
            at.into(),
            "bench".into(),
            serde_json::to_string(&DocumentView::from(&invoice))?.into(),
            none(),
        ];
        Ok(Self { invoice, id, at, pattern: NumberPattern::default_invoice(), update, append })
    }

    fn workspace(&self) -> Param {
        self.invoice.workspace.into()
    }

    fn series(&self) -> Vec<Param> {
        vec![self.workspace(), "invoice".into(), YEAR.into()]
    }
}
