//! What `gateway demo` does with a gateway that serves: sample data, and a dozen invoices sent to it over real HTTP.

use crate::invoice_run::InvoiceRun;
use crate::{cases, invoice_run};
use gateway_access::{Credentials, NewClient};
use gateway_cli::{CommandContext, reachable};
use gateway_domain::access::{Acting, Actor, Client, Permission, Workspaces};
use gateway_domain::ids::{ClientId, WorkspaceId};
use gateway_domain::invoicing::{Address, DocumentFilter, DocumentKind, DocumentOrder, Status};
use gateway_domain::ports::Converter;
use gateway_domain::workspace::EInvoicing;
use gateway_platform::sample::{self, TAX_ID, WORKSPACE};
use gateway_provider::JsonClient;
use gateway_terminal::{Failure, line};
use gateway_workspaces::{EInvoicingForm, NewWorkspace};
use secrecy::ExposeSecret;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tokio::fs::OpenOptions;
use uuid::Uuid;

/// The tax regime of the demonstration; its plugin has to be in the plugins folder.
pub const REGIME: &str = "es-verifactu";

/// What becomes of the gateway when it was shown.
const KEEPS_SERVING: &str = "The gateway keeps serving: Ctrl-C stops it.\n";
const ENDS_WITH_ONCE: &str =
    "With --once the gateway ends here: leave it out to try this and to look at it.\n";

/// A gateway that serves, and where it is.
#[derive(Debug)]
pub struct Demonstration {
    /// Of the gateway that serves, not of one beside it.
    pub context: CommandContext,
    /// Where the public listener is: `http://` and its address.
    pub public: String,
    /// Where the internal listener is, likewise.
    pub internal: String,
    /// Where the sandbox is, likewise.
    pub sandbox: String,
    /// Where everything is kept, where that is another folder than the configuration has.
    pub data_dir: Option<PathBuf>,
    /// Where plugins were looked for.
    pub plugin_folders: Vec<PathBuf>,
    /// Whether the gateway ends when it was shown.
    pub once: bool,
}

/// Sets up what is missing, sends the invoices, and shows how they arrive; with `pdf` it also writes one of them as a PDF to
/// `demo.pdf` in the folder we are in. It ends with the addresses to look at.
///
/// # Errors
/// The plugin of the demonstration, or with `pdf` a renderer, is not installed, the file cannot be written, the gateway refused
/// something, or an invoice did not end as expected.
pub async fn show(serving: &Demonstration, pdf: bool) -> Result<(), Failure> {
    ensure_plugin(serving)?;
    if pdf {
        ensure_renderer(serving).await?;
        ensure_pdf_can_be_written().await?;
    }
    import_sample_data(serving).await?;
    let workspace = ensure_workspace(serving).await?;
    let credentials = ensure_client(serving).await?;
    line(&format!(
        "\nWorkspace {workspace} ({WORKSPACE}) sends its invoices as {REGIME} to the sandbox at {}.",
        serving.sandbox
    ));
    let gateway = authenticate(serving, &credentials).await?;

    line("Issuing:");
    let mut runs = Vec::new();
    for case in cases::all() {
        runs.push(InvoiceRun::send(&gateway, serving.context.ids.as_ref(), workspace, case).await?);
    }
    line("\nOn their way to the tax authority and back:");
    let outcome = invoice_run::watch(&gateway, &mut runs).await;
    line(&format!("\n{}\n", invoice_run::table(&runs)));
    line(&proof_line(serving.data_dir.as_deref(), &runs));
    if pdf {
        write_pdf(serving, workspace).await?;
    }
    line(&curl_lines(serving, &credentials, workspace));
    if outcome.is_ok() {
        line(if serving.once { ENDS_WITH_ONCE } else { KEEPS_SERVING });
    }
    line(&addresses(serving, &credentials));
    outcome
}

/// Whether invoices can be converted at all, before anything is written.
fn ensure_plugin(serving: &Demonstration) -> Result<(), Failure> {
    let regime = REGIME.parse()?;
    if serving.context.plugins.runtime().host().describe(&regime).is_some() {
        return Ok(());
    }
    Err(missing_plugin(&serving.plugin_folders))
}

/// The plugin of the demonstration is not in these folders.
pub fn missing_plugin(folders: &[PathBuf]) -> Failure {
    let folders: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
    // Only who has the source can build it.
    let is_source = Path::new("host/xtask").is_dir();
    let remedy = if is_source { "build it with 'cargo xtask plugins'" } else { "take it from the release" };
    Failure::refused(format!(
        "the plugin {REGIME} is not in force (looked in {}): {remedy}, put {REGIME}.wasm there, or set plugins.dir",
        folders.join(" and ")
    ))
}

/// Whether an invoice can become a PDF.
async fn ensure_renderer(serving: &Demonstration) -> Result<(), Failure> {
    match serving.context.rendering.renderer().await {
        Ok(Some(_)) => Ok(()),
        Ok(None) => Err(Failure::refused(
            "--pdf needs a renderer: put render-pdf.wasm of the release into the folder 'render' below plugins.dir, \
             or leave --pdf out",
        )),
        Err(error) => Err(Failure::refused(error.to_string())),
    }
}

fn unwritable(error: &std::io::Error) -> Failure {
    Failure::refused(format!(
        "{PDF} cannot be written ({error}): start the demonstration in a folder of yours, or leave --pdf out"
    ))
}

/// Whether the PDF can be written in the folder we are in, before anything is issued. A file that is there stays as it is until
/// then, and none is left behind.
async fn ensure_pdf_can_be_written() -> Result<(), Failure> {
    let made = OpenOptions::new().write(true).create_new(true).open(PDF).await;
    let tried = match made {
        Ok(_) => tokio::fs::remove_file(PDF).await,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            OpenOptions::new().append(true).open(PDF).await.map(drop)
        }
        Err(error) => Err(error),
    };
    tried.map_err(|error| unwritable(&error))
}

/// The invoice that was issued last, as people read it.
async fn write_pdf(serving: &Demonstration, workspace: WorkspaceId) -> Result<(), Failure> {
    let services = &serving.context;
    let operator = Acting { workspaces: Workspaces::All, actor: Actor::operator(), request: None };
    let filter = DocumentFilter {
        workspace: Some(workspace),
        status: Some(Status::Issued),
        document_type: Some(DocumentKind::Invoice),
        order: DocumentOrder::NewestFirst,
        ..DocumentFilter::default()
    };
    let page = services.documents.page(&operator, &filter, None, 1).await?;
    let Some(invoice) = page.nodes.first() else { return Ok(()) };
    let file = services.rendering.render(&operator, invoice.id, None).await;
    let file = file.map_err(|error| Failure::refused(error.to_string()))?;
    tokio::fs::write(PDF, &file.content).await.map_err(|error| unwritable(&error))?;
    line(&format!(
        "{} as people read it is in {PDF} ({} KiB).\n",
        file.file_name,
        file.content.len().div_ceil(1024)
    ));
    Ok(())
}

/// Where one of the invoices is written.
const PDF: &str = "demo.pdf";

/// The platform's sample data, imported at the first run: two workspaces with units, bookings and the rest.
async fn import_sample_data(serving: &Demonstration) -> Result<(), Failure> {
    let services = &serving.context;
    if !services.workspaces.list().await?.is_empty() {
        return Ok(());
    }
    let mut file = Vec::new();
    for text in sample::lines() {
        file.extend(text?.into_bytes());
        file.push(b'\n');
    }
    let imported = services.platform.importer.import(&Actor::operator(), file.as_slice(), |_| {}).await?;
    if imported.refused() > 0 {
        return Err(Failure::refused(format!(
            "{} lines of the sample data were refused",
            imported.refused()
        )));
    }
    let created = |kind: &str| imported.kinds.get(kind).map_or(0, |counts| counts.created);
    line(&format!(
        "\nSample data: {} workspaces, {} units, {} product groups, {} bookings.",
        created("workspace"),
        created("unit"),
        created("product_group"),
        created("booking")
    ));
    Ok(())
}

/// The sample workspace, made at the first run and configured at every one.
async fn ensure_workspace(serving: &Demonstration) -> Result<WorkspaceId, Failure> {
    let services = &serving.context;
    let operator = Actor::operator();
    let regime = REGIME.parse()?;
    let known = services.workspaces.list().await?.into_iter().find(|workspace| workspace.name == WORKSPACE);
    let id = match known {
        Some(workspace) => workspace.id,
        None => services.workspaces.create(&operator, &sample_workspace()).await?.workspace.id,
    };
    let form = EInvoicingForm {
        configuration: EInvoicing {
            regime,
            company_id: Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0001),
            workflow_id: Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0002),
            settings: Value::Object(Map::new()),
        },
        token: Some("demo-token-that-opens-nothing".into()),
        webhook_token: None,
    };
    services.workspaces.set_e_invoicing(&operator, id, &form).await?;
    Ok(id)
}

fn sample_workspace() -> NewWorkspace {
    let text = |text: &str| Some(text.to_owned());
    NewWorkspace {
        name: WORKSPACE.to_owned(),
        legal_name: "Apartamentos de Ejemplo SL".to_owned(),
        tax_id: TAX_ID.to_owned(),
        country: "ES".to_owned(),
        time_zone: text("Europe/Madrid"),
        address: Some(Address {
            street: text("Calle de Ejemplo 1"),
            locality: text("Madrid"),
            region: text("Madrid"),
            postcode: text("28013"),
            country: text("ES"),
        }),
        email: text("facturas@example.com"),
        invoice_pattern: None,
        credit_pattern: None,
    }
}

/// The client of the demonstration. Its secret is known only when it is made, so that a later run gives it another one.
async fn ensure_client(serving: &Demonstration) -> Result<Credentials, Failure> {
    let new = NewClient {
        name: "demo".to_owned(),
        permissions: vec![
            Permission::InvoicingRpc,
            Permission::FinanceRpc,
            Permission::CatalogRead,
            Permission::SpacesRead,
            Permission::AvailabilityRead,
            Permission::BookingsRead,
            Permission::UsersRead,
            Permission::TasksRead,
            Permission::WorkspacesRead,
            Permission::InvoicingRead,
            Permission::FinanceVerdict,
            Permission::ConsoleRead,
            Permission::Admin,
        ],
        workspaces: Workspaces::All,
    };
    let (clients, operator) = (&serving.context.clients, Actor::operator());
    let sorted = |permissions: &[Permission]| permissions.iter().copied().collect::<BTreeSet<_>>();
    let is_ours = |client: &Client| {
        let is_alike = (&client.name, &client.workspaces) == (&new.name, &new.workspaces);
        is_alike && !client.disabled && sorted(&client.permissions) == sorted(&new.permissions)
    };
    match clients.list().await?.iter().find(|client| is_ours(client)) {
        Some(known) => Ok(clients.rotate_secret(known.id, &operator).await?),
        None => Ok(clients.create(new, &operator).await?),
    }
}

/// What asks for a token (RFC 6749 §4.4), with the end user acted for.
#[derive(Serialize)]
struct TokenRequest<'a> {
    grant_type: &'static str,
    client_id: ClientId,
    client_secret: &'a str,
    act: ActClaim,
}

#[derive(Serialize)]
struct ActClaim {
    sub: &'static str,
}

/// Gets a token like anybody else, from the public listener, and calls the internal one with it.
async fn authenticate(serving: &Demonstration, credentials: &Credentials) -> Result<JsonClient, Failure> {
    let body = serde_json::to_value(TokenRequest {
        grant_type: "client_credentials",
        client_id: credentials.client.id,
        client_secret: credentials.secret.expose_secret(),
        act: ActClaim { sub: "demo" },
    })?;
    let public = JsonClient::new(reachable(&serving.public)?)?;
    let answer = public.post("/v1/oauth2/token", Some(&body)).await?;
    let token = answer.body.get("access_token").and_then(Value::as_str);
    let token = token.ok_or_else(|| Failure::refused(format!("no token was issued: {}", answer.body)))?;
    Ok(JsonClient::new(reachable(&serving.internal)?)?.with_bearer(token))
}

/// What shows the authority's proof of one of the invoices, ready to paste into a shell.
fn proof_line(data_dir: Option<&Path>, runs: &[InvoiceRun]) -> String {
    let Some(last) = runs.last() else { return String::new() };
    let place = data_dir.map(|folder| format!("GATEWAY_DATA_DIR={} ", quoted(folder))).unwrap_or_default();
    format!("Hash and QR address of one: {place}gateway invoice show {}\n", last.id())
}

/// As a shell reads it as one word.
fn quoted(folder: &Path) -> String {
    let text = folder.display().to_string();
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "/._-".contains(char);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Ready to paste into a shell; no line is wider than 80 columns.
fn curl_lines(serving: &Demonstration, credentials: &Credentials, workspace: WorkspaceId) -> String {
    let (public, internal) = (&serving.public, &serving.internal);
    let (id, secret) = (credentials.client.id, credentials.secret.expose_secret());
    format!(
        r#"Try it yourself:

TOKEN=$(curl -s {public}/v1/oauth2/token \
  -H 'Content-Type: application/json' \
  -d '{{"grant_type": "client_credentials",
       "client_id": "{id}",
       "client_secret": "{secret}"}}' \
  | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
AUTH="Authorization: Bearer $TOKEN"
JSON='Content-Type: application/json'
ID=$(uuidgen 2>/dev/null || cat /proc/sys/kernel/random/uuid)
DOCUMENT={internal}/finance/rpc/documents/$ID
# a draft
curl -s -X PUT {internal}/invoicing/rpc/documents/$ID \
  -H "$AUTH" -H "$JSON" -d '{{
  "workspace_id": {workspace}, "document_type": "invoice",
  "currency": "EUR", "prices_include_tax": true,
  "recipient": {{
    "type": "individual", "name": "Jane Roe",
    "identity_document": {{
      "type": "passport", "number": "123456789", "country": "GB"
    }},
    "address": {{
      "street": "1 High St", "locality": "Leeds",
      "postcode": "LS1 1AA", "country": "GB"
    }}
  }},
  "lines": [{{
    "description": "Studio, 3 nights", "quantity": "3", "unit_price": "89.90",
    "tax": {{"category": "VAT", "rate": "10.0"}}
  }}]
}}'
# issue it
curl -s -X POST $DOCUMENT/commands/issue -H "$AUTH"
# how it stands
curl -s $DOCUMENT -H "$AUTH"
# every step of its submission
curl -s $DOCUMENT/submission -H "$AUTH"
# the same client reads the platform over GraphQL
curl -s {public}/v1 -H "$AUTH" -H "$JSON" \
  -d '{{"query":"{{ spaces {{ units(first: 3) {{ nodes {{ code }} totalCount }} }} }}"}}'
"#
    )
}

/// Where to look, and who signs in there.
fn addresses(serving: &Demonstration, credentials: &Credentials) -> String {
    let (public, internal) = (&serving.public, &serving.internal);
    let (id, secret) = (credentials.client.id, credentials.secret.expose_secret());
    format!(
        "Look at it:

  console        {internal}/console
  documentation  {public}/docs
                 {internal}/docs
  GraphiQL       {public}/v1
  sign in with   client {id}
                 secret {secret}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_one_word_of_a_shell() {
        for (folder, word) in
            [("./data-2", "./data-2"), ("/var/my data", "'/var/my data'"), ("it's", r"'it'\''s'")]
        {
            assert_eq!(quoted(Path::new(folder)), word);
        }
    }
}
