//! What each command is sent with. Members are looser than what the document says where that lets one answer name every
//! mistake.

use crate::acceptance;
use gateway_domain::input::Faults;
use gateway_domain::invoicing::{InvoiceNumber, LINES_MAX, Line, LineForm, RecipientForm, TaxCheck};
use gateway_domain::money::Amount;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_finance::{AcceptanceForm, Command, CommandForm, Edit, Proof, RejectionForm};
use gateway_http::time::{self, Rfc3339};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Longest text of a command, bytes.
const TEXT_BYTES_MAX: usize = 4_000;
/// Longest id of a transaction, characters.
const TRANSACTION_CHARS_MAX: usize = 200;
/// What an amount has to be.
const AMOUNT: &str = "a decimal number as a string, such as \"12.50\"";

/// The members of one command.
pub(super) trait CommandBody: DeserializeOwned + Send {
    /// Which command it is.
    const COMMAND: Command;

    /// What the command says.
    ///
    /// # Errors
    /// Every mistake in the members.
    fn form(self) -> Result<CommandForm, Vec<FieldError>>;
}

/// What issuing a document is sent with.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct IssueBody {
    /// The caller's own time of it; not in the future.
    #[schema(value_type = Option<String>, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    at: Option<Rfc3339>,
}

impl CommandBody for IssueBody {
    const COMMAND: Command = Command::Issue;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        Ok(CommandForm::Issue { at: self.at.map(|Rfc3339(at)| at) })
    }
}

/// What crediting an issued document is sent with.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct CreditBody {
    /// The caller's own time of it; not in the future.
    #[schema(required, value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    at: Option<Rfc3339>,
    /// What is credited; all that is billed unless given.
    #[schema(max_items = 1000)]
    lines: Option<Vec<LineForm>>,
}

impl CommandBody for CreditBody {
    const COMMAND: Command = Command::Credit;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let mut faults = Faults::default();
        let at = required(&mut faults, "at", instant(self.at), time::WANTED);
        let lines = self.lines.map(|lines| credited(&mut faults, lines));
        complete(faults, at.map(|at| CommandForm::Credit { at, lines }))
    }
}

/// What reversing an issued document is sent with.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ReverseBody {
    /// The caller's own time of it; not in the future.
    #[schema(required, value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    at: Option<Rfc3339>,
}

impl CommandBody for ReverseBody {
    const COMMAND: Command = Command::Reverse;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let mut faults = Faults::default();
        let at = required(&mut faults, "at", instant(self.at), time::WANTED);
        complete(faults, at.map(|at| CommandForm::Reverse { at }))
    }
}

/// What recording returned money is sent with.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RefundBody {
    /// The caller's own time of it; not in the future.
    #[schema(required, value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    at: Option<Rfc3339>,
    /// How much was returned, in the document's currency; together never more than was to be paid.
    #[schema(required, value_type = Amount, examples("20.00"))]
    amount: Option<Amount>,
    /// What the payment is known by elsewhere.
    #[schema(examples("T-17"))]
    reference: Option<String>,
}

impl CommandBody for RefundBody {
    const COMMAND: Command = Command::Refund;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let mut faults = Faults::default();
        let at = required(&mut faults, "at", instant(self.at), time::WANTED);
        let amount = required(&mut faults, "amount", self.amount, AMOUNT);
        let reference = text(&mut faults, "reference", self.reference);
        let found = at.zip(amount);
        complete(faults, found.map(|(at, amount)| CommandForm::Refund { at, amount, reference }))
    }
}

/// What deleting a draft is sent with: nothing.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(in super::super) struct DeleteBody {}

impl CommandBody for DeleteBody {
    const COMMAND: Command = Command::Delete;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        Ok(CommandForm::Delete)
    }
}

/// Whom a document is for from now on.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct UpdateRecipientBody {
    /// The recipient as a whole.
    #[schema(required, value_type = RecipientForm)]
    recipient: Option<RecipientForm>,
}

impl CommandBody for UpdateRecipientBody {
    const COMMAND: Command = Command::UpdateRecipient;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let form = self.recipient.ok_or_else(|| vec![missing("recipient")])?;
        let recipient = form.check()?;
        Ok(CommandForm::Edit(Box::new(Edit::Recipient(Box::new(recipient)))))
    }
}

/// A line more.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AddTransactionBody {
    /// What the line is known by from now on: the caller's own id.
    #[schema(required, value_type = String, min_length = 1, max_length = 200,
        pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$", examples("T-18"))]
    transaction_id: Option<String>,
    /// The line.
    #[schema(required, value_type = LineForm)]
    line: Option<LineForm>,
}

impl CommandBody for AddTransactionBody {
    const COMMAND: Command = Command::AddTransaction;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let (id, line) = transaction_and_line(self.transaction_id, self.line)?;
        Ok(CommandForm::Edit(Box::new(Edit::Add(id, line))))
    }
}

/// A line otherwise.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct UpdateTransactionBody {
    /// What the line is known by: the id it was added under.
    #[schema(required, value_type = String, min_length = 1, max_length = 200,
        pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$", examples("T-18"))]
    transaction_id: Option<String>,
    /// The line as a whole.
    #[schema(required, value_type = LineForm)]
    line: Option<LineForm>,
}

impl CommandBody for UpdateTransactionBody {
    const COMMAND: Command = Command::UpdateTransaction;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let (id, line) = transaction_and_line(self.transaction_id, self.line)?;
        Ok(CommandForm::Edit(Box::new(Edit::Update(id, line))))
    }
}

/// A line less.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RemoveTransactionBody {
    /// What the line is known by: the id it was added under.
    #[schema(required, value_type = String, min_length = 1, max_length = 200,
        pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$", examples("T-18"))]
    transaction_id: Option<String>,
}

impl CommandBody for RemoveTransactionBody {
    const COMMAND: Command = Command::RemoveTransaction;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let mut faults = Faults::default();
        let id = transaction(&mut faults, self.transaction_id);
        complete(faults, id.map(|id| CommandForm::Edit(Box::new(Edit::Remove(id)))))
    }
}

/// What sending a document to the tax authority is sent with: nothing.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(in super::super) struct SendToTaxAuthorityBody {}

impl CommandBody for SendToTaxAuthorityBody {
    const COMMAND: Command = Command::SendToTaxAuthority;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        Ok(CommandForm::SendToTaxAuthority)
    }
}

/// The authority's proof, as given by hand.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AcceptanceBody {
    /// Where anybody verifies the document, an http(s) address; null where the tax system gives none. May be left out with a
    /// `number` for which the provider showed it.
    #[schema(value_type = Option<String>, max_length = 2000, examples("https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?nif=B12345674"))]
    qr_url: Proof,
    /// The tax system's hash of the record; null where it gives none. May be left out like `qr_url`.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 500,
        pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$", examples("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"))]
    tax_system_hash: Proof,
    /// When the authority accepted; now unless given.
    #[schema(value_type = Option<String>, format = DateTime, examples("2026-11-20T09:00:05Z"))]
    accepted_at: Option<Rfc3339>,
    /// An earlier number of the document: it is issued under it, with the content that was sent then.
    number: Option<String>,
}

impl CommandBody for AcceptanceBody {
    const COMMAND: Command = Command::MarkAsAcceptedByTaxAuthority;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let mut faults = Faults::default();
        let form = AcceptanceForm {
            qr_url: proof(&mut faults, "qr_url", self.qr_url, acceptance::wrong_address),
            tax_system_hash: proof(
                &mut faults,
                "tax_system_hash",
                self.tax_system_hash,
                acceptance::wrong_hash,
            ),
            accepted_at: instant(self.accepted_at),
            number: text(&mut faults, "number", self.number).map(InvoiceNumber),
        };
        faults.or(CommandForm::Accept(form))
    }
}

/// The authority's refusal, as given by hand.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RejectionBody {
    /// What it objects to.
    #[schema(required, value_type = String, examples("the NIF is not registered"))]
    reason: Option<String>,
    /// Its code; `rejection_reason` begins with it.
    #[schema(examples("1239"))]
    code: Option<String>,
    /// An earlier number of the document: the authority holds nothing under it.
    number: Option<String>,
}

impl CommandBody for RejectionBody {
    const COMMAND: Command = Command::MarkAsRejectedByTaxAuthority;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let mut faults = Faults::default();
        let form = RejectionForm {
            reason: text(&mut faults, "reason", self.reason),
            code: text(&mut faults, "code", self.code),
            number: text(&mut faults, "number", self.number).map(InvoiceNumber),
        };
        faults.or(CommandForm::Reject(form))
    }
}

fn instant(at: Option<Rfc3339>) -> Option<Timestamp> {
    at.map(|Rfc3339(at)| at)
}

fn missing(field: &str) -> FieldError {
    FieldError::new(field, ErrorCode::Required, "is required")
}

/// What a command cannot do without.
fn required<T>(faults: &mut Faults, field: &str, value: Option<T>, wanted: &str) -> Option<T> {
    if value.is_none() {
        faults.refuse(field, ErrorCode::Required, format!("is required: use {wanted}"));
    }
    value
}

/// A text that is not endless.
fn text(faults: &mut Faults, field: &str, text: Option<String>) -> Option<String> {
    if text.as_ref().is_some_and(|text| text.contains('\0') || text.len() > TEXT_BYTES_MAX) {
        let message = format!("may have at most {TEXT_BYTES_MAX} bytes and no NUL");
        faults.refuse(field, ErrorCode::TooLong, message);
    }
    text
}

/// A part of the authority's proof with which nothing is wrong.
fn proof(faults: &mut Faults, field: &str, said: Proof, wrong: fn(&str) -> Option<String>) -> Proof {
    if let Proof::Given(given) = &said {
        text(faults, field, Some(given.clone()));
        if let Some(message) = wrong(given) {
            faults.refuse(field, ErrorCode::InvalidFormat, message);
        }
    }
    said
}

/// The lines of a credit note.
fn credited(faults: &mut Faults, forms: Vec<LineForm>) -> Vec<Line> {
    if forms.len() > LINES_MAX {
        faults.refuse("lines", ErrorCode::TooMany, format!("may have at most {LINES_MAX} lines"));
        return Vec::new();
    }
    let mut lines = Vec::with_capacity(forms.len());
    for (at, form) in forms.into_iter().enumerate() {
        match form.check(&format!("lines[{at}]"), TaxCheck::Syntax) {
            Ok(line) => lines.push(line),
            Err(found) => faults.extend(found),
        }
    }
    lines
}

fn transaction_and_line(
    id: Option<String>,
    line: Option<LineForm>,
) -> Result<(String, LineForm), Vec<FieldError>> {
    let mut faults = Faults::default();
    let id = transaction(&mut faults, id);
    if line.is_none() {
        faults.extend(vec![missing("line")]);
    }
    complete(faults, id.zip(line))
}

/// What was read of the members; where something is missing, the faults say what.
fn complete<T>(faults: Faults, found: Option<T>) -> Result<T, Vec<FieldError>> {
    faults.or(found)?.ok_or_else(Vec::new)
}

/// Refused when it is missing, blank, too long, or has control characters.
fn transaction(faults: &mut Faults, id: Option<String>) -> Option<String> {
    let wanted = "the id of a transaction, a text";
    let id = required(faults, "transaction_id", id, wanted)?;
    let sound = !id.trim().is_empty()
        && id.chars().count() <= TRANSACTION_CHARS_MAX
        && !id.chars().any(char::is_control);
    if !sound {
        let message = format!("use {wanted} of at most {TRANSACTION_CHARS_MAX} characters");
        faults.refuse("transaction_id", ErrorCode::InvalidFormat, message);
    }
    Some(id)
}
