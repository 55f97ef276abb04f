//! Commands on documents: each takes its members, and what it did or why it did not is one shape for all.

use super::failure::Failure;
use super::results::{CommandResult, IssueTrial};
use crate::errors::refuse;
use crate::proof;
use crate::rpc::{document_id, expected_version};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use gateway_access::Requests;
use gateway_domain::access::{Acting, Permission};
use gateway_domain::finance::{AcceptanceForm, Command, CommandForm, Edit, Proof, Refusal, RejectionForm};
use gateway_domain::ids::InvoiceId;
use gateway_domain::input;
use gateway_domain::invoicing::{InvoiceNumber, LINES_MAX, Line, LineForm, RecipientForm, TaxCheck};
use gateway_domain::{ErrorCode, FieldError};
use gateway_finance::Finance;
use gateway_finance::{CommandError, Outcome};
use gateway_http::Authenticated;
use gateway_http::Params;
use gateway_http::idempotency::{self, Once};
use gateway_http::json::OptionalJson;
use gateway_http::time::{self, Rfc3339};
use gateway_storage::StoreError;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Longest text of a command, bytes.
const TEXT_BYTES_MAX: usize = 4_000;

pub(super) async fn command(
    State(finance): State<Finance>,
    State(requests): State<Requests>,
    caller: Authenticated,
    Path((uuid, name)): Path<(String, String)>,
    params: Params,
    headers: HeaderMap,
    OptionalJson(body): OptionalJson<Map<String, Value>>,
) -> Result<Response, Failure> {
    caller.require(Permission::FinanceRpc)?;
    let Some(command) = Command::parse(&name) else {
        let sentence = "is no command of the finance service";
        return Err(refuse(StatusCode::NOT_FOUND, "command", ErrorCode::CommandUnknown, sentence).into());
    };
    if matches!(command, Command::MarkAsAcceptedByTaxAuthority | Command::MarkAsRejectedByTaxAuthority) {
        caller.require(Permission::FinanceVerdict)?;
    }
    params.only(&["dry_run"])?;
    let dry_run = params.flag("dry_run")?;
    let (id, seen) = (document_id(&uuid)?, expected_version(&headers)?);
    if dry_run {
        idempotency::key(&headers)?;
        let acting = Acting { trial: true, ..Acting::from(&caller.0) };
        return Ok(trial(&finance, &acting, id, command, Body(body), seen).await?);
    }
    let content = idempotency::content(&format!("POST {name} {id}"), &Value::Object(body.clone()));
    let acting = match idempotency::begin(&requests, &caller, &headers, &content).await? {
        Once::Go(acting) => acting,
        Once::Answer(answer) => return Ok(answer),
        Once::CarriedOut => {
            let found = finance.invoice(&Acting::from(&caller.0), id).await?.ok_or(CommandError::Gone)?;
            return Ok(idempotency::shown(&CommandResult::of(&found)));
        }
    };
    let outcome = match carry_out(&finance, &acting, id, command, Body(body), seen).await {
        Ok(outcome) => outcome,
        Err(error) if is_open(&error) => return Err(error.into()),
        Err(error) => return idempotency::refused(&requests, &acting, error.into()).await,
    };
    Ok(idempotency::end(&requests, &acting, &CommandResult::from(&outcome)).await)
}

/// Whether the command may be carried out all the same.
fn is_open(error: &CommandError) -> bool {
    match error {
        CommandError::InvoiceData(_) | CommandError::Converter(_) => true,
        CommandError::Store(cause) => !matches!(cause, StoreError::Repeated),
        CommandError::Gone
        | CommandError::Refused(_)
        | CommandError::Issue(_)
        | CommandError::Preflight(_)
        | CommandError::Invalid(_)
        | CommandError::Rule(..)
        | CommandError::OnItsWay
        | CommandError::Stale { .. } => false,
    }
}

/// Carries a command out. What the document's state refuses is told before what is wrong with the members: no other body
/// would help.
async fn carry_out(
    finance: &Finance,
    acting: &Acting,
    id: InvoiceId,
    command: Command,
    body: Body,
    seen: Option<i64>,
) -> Result<Outcome, CommandError> {
    let done = Box::pin(taken(finance, acting, id, command, body, seen)).await;
    if matches!(done, Err(CommandError::Invalid(_))) {
        by_its_state(finance, acting, id, command).await?;
    }
    done
}

/// Fails only when the state of the document refuses the command.
async fn by_its_state(
    finance: &Finance,
    acting: &Acting,
    id: InvoiceId,
    command: Command,
) -> Result<(), CommandError> {
    match finance.command_dry_run(acting, id, command).await {
        Err(error @ CommandError::Refused(_)) => Err(error),
        _ => Ok(()),
    }
}

/// The command itself.
async fn taken(
    finance: &Finance,
    acting: &Acting,
    id: InvoiceId,
    command: Command,
    body: Body,
    seen: Option<i64>,
) -> Result<Outcome, CommandError> {
    let Some(form) = body.form_of(command)? else {
        // Always refused, by the state's own reason where it has one.
        finance.command_dry_run(acting, id, command).await?;
        return Err(CommandError::Refused(Refusal::DispatchedInternally));
    };
    let seen = match form {
        CommandForm::Issue { .. } | CommandForm::Delete | CommandForm::Edit(_) => seen,
        // They are about what does not change: the issued document, or the verdict on its number.
        CommandForm::Credit { .. }
        | CommandForm::Reverse { .. }
        | CommandForm::Refund { .. }
        | CommandForm::Accept(_)
        | CommandForm::Reject(_) => None,
    };
    finance.command(acting, id, form, seen).await
}

/// What a command would do.
async fn trial(
    finance: &Finance,
    acting: &Acting,
    id: InvoiceId,
    command: Command,
    mut body: Body,
    seen: Option<i64>,
) -> Result<Response, CommandError> {
    if command == Command::Issue {
        let at = body.time("at").and_then(|at| body.nothing_else().map(|()| at));
        if at.is_err() {
            by_its_state(finance, acting, id, command).await?;
        }
        let trial = finance.issue_dry_run(acting, id, at?, seen).await?;
        return Ok(idempotency::shown(&IssueTrial::from(&trial)));
    }
    let outcome = carry_out(finance, acting, id, command, body, seen).await?;
    Ok(idempotency::shown(&CommandResult::from(&outcome).of_a_trial()))
}

/// The members of a command, taken one by one.
struct Body(Map<String, Value>);

impl Body {
    /// What a command says; one place says which members each one has. None for the command that nobody gives from
    /// outside.
    fn form_of(mut self, command: Command) -> Result<Option<CommandForm>, CommandError> {
        let form = match command {
            Command::Issue => CommandForm::Issue { at: self.time("at")? },
            Command::Credit => CommandForm::Credit { at: self.required_time("at")?, lines: self.lines()? },
            Command::Reverse => CommandForm::Reverse { at: self.required_time("at")? },
            Command::Refund => CommandForm::Refund {
                at: self.required_time("at")?,
                amount: self.required("amount", "a decimal number as a string, such as \"12.50\"")?,
                reference: self.member("reference", "a text")?,
            },
            Command::Delete => CommandForm::Delete,
            Command::UpdateRecipient => {
                let form: RecipientForm = self.form("recipient")?;
                CommandForm::Edit(Box::new(Edit::Recipient(Box::new(
                    form.check().map_err(CommandError::Invalid)?,
                ))))
            }
            Command::AddTransaction => {
                CommandForm::Edit(Box::new(Edit::Add(self.transaction()?, self.form("line")?)))
            }
            Command::UpdateTransaction => {
                CommandForm::Edit(Box::new(Edit::Update(self.transaction()?, self.form("line")?)))
            }
            Command::RemoveTransaction => CommandForm::Edit(Box::new(Edit::Remove(self.transaction()?))),
            Command::MarkAsAcceptedByTaxAuthority => CommandForm::Accept(AcceptanceForm {
                qr_url: self.proof("qr_url", proof::wrong_address)?,
                tax_system_hash: self.proof("tax_system_hash", proof::wrong_hash)?,
                accepted_at: self.time("accepted_at")?,
                number: self.number()?,
            }),
            Command::MarkAsRejectedByTaxAuthority => CommandForm::Reject(RejectionForm {
                reason: self.member("reason", "a text")?,
                code: self.member("code", "a text")?,
                number: self.number()?,
            }),
            Command::SendToTaxAuthority => return Ok(None),
        };
        self.nothing_else()?;
        Ok(Some(form))
    }

    fn member<T: DeserializeOwned>(&mut self, name: &str, wanted: &str) -> Result<Option<T>, CommandError> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.contains('\0') || text.len() > TEXT_BYTES_MAX => Err(mistake(
                name,
                ErrorCode::TooLong,
                format!("may have at most {TEXT_BYTES_MAX} bytes and no NUL"),
            )),
            Some(value) => serde_json::from_value(value)
                .map(Some)
                .map_err(|_| mistake(name, ErrorCode::InvalidFormat, format!("use {wanted}"))),
        }
    }

    fn time(&mut self, name: &str) -> Result<Option<Timestamp>, CommandError> {
        let at: Option<Rfc3339> = self.member(name, time::WANTED)?;
        Ok(at.map(|Rfc3339(at)| at))
    }

    fn required_time(&mut self, name: &str) -> Result<Timestamp, CommandError> {
        self.required(name, time::WANTED).map(|Rfc3339(at)| at)
    }

    /// A part of the authority's proof: a text with which nothing is wrong, null, or nothing.
    fn proof(&mut self, name: &str, wrong: fn(&str) -> Option<String>) -> Result<Proof, CommandError> {
        let said = self.0.contains_key(name);
        let text: Option<String> = self.member(name, "a text")?;
        match text {
            None if said => Ok(Proof::Absent),
            None => Ok(Proof::Unsaid),
            Some(text) => match wrong(&text) {
                Some(message) => Err(mistake(name, ErrorCode::InvalidFormat, message)),
                None => Ok(Proof::Given(text)),
            },
        }
    }

    /// The earlier number of the document that a verdict is about.
    fn number(&mut self) -> Result<Option<InvoiceNumber>, CommandError> {
        let number: Option<String> = self.member("number", "a number that the document was sent under")?;
        Ok(number.map(InvoiceNumber))
    }

    fn required<T: DeserializeOwned>(&mut self, name: &str, wanted: &str) -> Result<T, CommandError> {
        self.member(name, wanted)?
            .ok_or_else(|| mistake(name, ErrorCode::Required, format!("is required: use {wanted}")))
    }

    /// A member that has members of its own.
    fn form<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, CommandError> {
        let value = self.0.remove(name).filter(|value| !value.is_null());
        let value = value.ok_or_else(|| mistake(name, ErrorCode::Required, "is required".to_owned()))?;
        input::read(&value).map_err(|mistakes| below(name, mistakes))
    }

    /// The lines of a credit note; none for all that is billed.
    fn lines(&mut self) -> Result<Option<Vec<Line>>, CommandError> {
        let Some(values) = self.member::<Vec<Value>>("lines", "a list of lines")? else { return Ok(None) };
        if values.len() > LINES_MAX {
            return Err(mistake("lines", ErrorCode::TooMany, format!("may have at most {LINES_MAX} lines")));
        }
        let mut lines = Vec::with_capacity(values.len());
        for (at, value) in values.into_iter().enumerate() {
            let field = format!("lines[{at}]");
            let form: LineForm = input::read(&value).map_err(|mistakes| below(&field, mistakes))?;
            lines.push(form.check(&field, TaxCheck::Syntax).map_err(CommandError::Invalid)?);
        }
        Ok(Some(lines))
    }

    fn transaction(&mut self) -> Result<String, CommandError> {
        let wanted = "the id of a transaction, a text";
        let id: String = self.required("transaction_id", wanted)?;
        let sound = !id.trim().is_empty() && id.chars().count() <= 200 && !id.chars().any(char::is_control);
        if sound {
            Ok(id)
        } else {
            Err(mistake(
                "transaction_id",
                ErrorCode::InvalidFormat,
                format!("use {wanted} of at most 200 characters"),
            ))
        }
    }

    fn nothing_else(&self) -> Result<(), CommandError> {
        let extra = self.0.keys().next();
        extra.map_or(Ok(()), |name| {
            Err(mistake(name, ErrorCode::UnknownMember, "is no member of this command".to_owned()))
        })
    }
}

/// Mistakes in a member that has members of its own.
fn below(name: &str, mistakes: Vec<FieldError>) -> CommandError {
    let named = |mistake: FieldError| match mistake.field.as_str() {
        "base" => FieldError::new(name, mistake.code, mistake.message),
        field => FieldError::new(format!("{name}.{field}"), mistake.code, mistake.message),
    };
    CommandError::Invalid(mistakes.into_iter().map(named).collect())
}

fn mistake(field: &str, code: ErrorCode, message: String) -> CommandError {
    CommandError::Invalid(vec![FieldError::new(field, code, message)])
}
