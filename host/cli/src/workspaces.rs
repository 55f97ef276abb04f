//! `gateway workspace …`.

mod printing;

use crate::args::{CreateArgs, EInvoicingArgs, EInvoicingCommand, SetArgs, WorkspaceCommand};
use crate::{CommandContext, Program};
use gateway_config::Config;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::workspace::{EInvoicing, RejectionStrategy, Workspace};
use gateway_domain_input::{json_place, unreadable};
use gateway_terminal::{self as terminal, Column, Failure, Out};
use gateway_workspaces::settings;
use gateway_workspaces::views::{EInvoicingAnswer, WorkspaceList, WorkspaceView};
use gateway_workspaces::{EInvoicingForm, NewWorkspace, WorkspaceChange, WorkspaceError};
use jiff::Timestamp;
use secrecy::SecretString;
use serde::Serialize;
use serde_json::Value;
use std::io::Read;
use std::path::Path;
use zeroize::Zeroizing;

/// Longest token or settings file, bytes.
const FILE_BYTES_MAX: u64 = 256 * 1024;

/// Whether a configuration was taken away.
#[derive(Serialize)]
struct ClearedConfigurationView {
    workspace_id: WorkspaceId,
    cleared: bool,
}

/// Carries it out.
pub async fn run(
    command: WorkspaceCommand,
    config: &Config,
    program: &Program,
    out: Out,
) -> Result<(), Failure> {
    let context = program.open(config).await?;
    let done = match command {
        WorkspaceCommand::Create(args) => create(&context, args, out).await,
        WorkspaceCommand::List => list(&context, out).await,
        WorkspaceCommand::Set(args) => set(&context, config, args, out).await,
        WorkspaceCommand::EInvoicing(command) => e_invoicing(&context, config, command, out).await,
        WorkspaceCommand::Printing(command) => printing::run(&context, command, out).await,
    };
    context.close().await;
    done
}

async fn create(context: &CommandContext, args: CreateArgs, out: Out) -> Result<(), Failure> {
    let address = args.address.address(Some(&args.country));
    let new = NewWorkspace {
        name: args.name,
        legal_name: args.legal_name,
        tax_id: args.tax_id,
        country: args.country,
        time_zone: args.time_zone,
        address,
        email: args.email,
        invoice_pattern: args.invoice_pattern,
        credit_pattern: args.credit_pattern,
    };
    let created = context.workspaces.create(&context.operator, &new).await?;
    let workspace = &created.workspace;
    if created.derived_patterns {
        terminal::note(&format!(
            "note: another workspace of the same supplier uses the usual numbers, so this one gets {} and {}",
            workspace.invoice_pattern, workspace.credit_pattern
        ));
    }
    // It is made already, so that a plugin that does not load is no reason to fail.
    if let Err(error) = context.plugins.catch_up().await {
        tracing::warn!("The tax id was not checked: {error}");
    }
    for remark in context.workspaces.remarks(workspace).await {
        terminal::note(&format!("note: {} – {}", remark.field, remark.message));
    }
    out.data(&WorkspaceView::from(workspace), || {
        format!(
            "Created workspace {}: next, 'gateway workspace e-invoicing set --workspace {}'.",
            workspace.id, workspace.id
        )
    });
    Ok(())
}

async fn list(context: &CommandContext, out: Out) -> Result<(), Failure> {
    let all = context.workspaces.list().await?;
    let view = WorkspaceList { workspaces: all.iter().map(WorkspaceView::from).collect() };
    out.data(&view, || {
        let columns = [
            Column::value("ID"),
            Column::text("NAME"),
            Column::text("LEGAL NAME"),
            Column::value("TAX ID"),
            Column::value("COUNTRY"),
            Column::value("TIME ZONE"),
            Column::remark("INVOICES"),
            Column::remark("CREDIT NOTES"),
        ];
        let rows = all.iter().map(|workspace| {
            let supplier = &workspace.supplier;
            vec![
                workspace.id.to_string(),
                workspace.name.clone(),
                supplier.legal_name.clone(),
                supplier.tax_id.clone(),
                supplier.country.clone(),
                workspace.time_zone.iana_name().unwrap_or("UTC").to_owned(),
                workspace.invoice_pattern.to_string(),
                workspace.credit_pattern.to_string(),
            ]
        });
        terminal::listing(columns, rows)
    });
    Ok(())
}

async fn set(context: &CommandContext, config: &Config, args: SetArgs, out: Out) -> Result<(), Failure> {
    let change = args.change;
    let change = WorkspaceChange {
        address: change.address.address(change.country.as_deref()),
        name: change.name,
        legal_name: change.legal_name,
        tax_id: change.tax_id,
        country: change.country,
        time_zone: change.time_zone,
        email: change.email,
        rejection_strategy: change.rejection_strategy.map(RejectionStrategy::from),
        invoice_pattern: change.invoice_pattern,
        credit_pattern: change.credit_pattern,
        next_number: change.next_number,
        next_credit_number: change.next_credit_number,
    };
    if change == WorkspaceChange::default() {
        let help = "there is nothing to change: give at least one option of 'gateway workspace set --help'";
        return Err(Failure::misuse(help));
    }
    let is_configured = || context.workspaces.e_invoicing(args.workspace);
    if (change.tax_id.is_some() || change.country.is_some()) && matches!(is_configured().await, Ok(Some(_))) {
        // Its plugin is asked what it thinks of the supplier.
        gateway_registry::load(&context.plugins, config.plugins_dir()).await?;
    }
    let workspace: Workspace = context.workspaces.set(&context.operator, args.workspace, &change).await?;
    out.data(&WorkspaceView::from(&workspace), || format!("Changed workspace {}.", workspace.id));
    Ok(())
}

async fn e_invoicing(
    context: &CommandContext,
    config: &Config,
    command: EInvoicingCommand,
    out: Out,
) -> Result<(), Failure> {
    match command {
        EInvoicingCommand::Set(args) => set_e_invoicing(context, config, args, out).await,
        EInvoicingCommand::Show { workspace } => {
            let view =
                context.workspaces.e_invoicing(workspace).await?.ok_or_else(|| not_configured(workspace))?;
            out.data(&EInvoicingAnswer::new(workspace, &view), || {
                let configuration = &view.configuration;
                format!(
                    "regime         {}\ncompany id     {}\nworkflow id    {}\ntoken          {}\nwebhook token  {}\nsettings       {}",
                    configuration.regime,
                    configuration.company_id,
                    configuration.workflow_id,
                    token_words(view.token_expires_at),
                    if view.has_webhook_token { "set" } else { "none" },
                    configuration.settings,
                )
            });
            Ok(())
        }
        EInvoicingCommand::Clear { workspace } => {
            let cleared = context.workspaces.clear_e_invoicing(&context.operator, workspace).await?;
            out.data(&ClearedConfigurationView { workspace_id: workspace, cleared }, || {
                if cleared {
                    format!("Workspace {workspace} issues without submission from now on.")
                } else {
                    format!("Workspace {workspace} was not configured.")
                }
            });
            Ok(())
        }
    }
}

async fn set_e_invoicing(
    context: &CommandContext,
    config: &Config,
    args: EInvoicingArgs,
    out: Out,
) -> Result<(), Failure> {
    let changes = args.settings.as_deref().map(read_json).transpose()?;
    let settings = context.workspaces.settings_under(args.workspace, &args.regime, changes).await?;
    gateway_registry::load(&context.plugins, config.plugins_dir()).await?;
    let checked =
        settings::check(context.regimes.clone().within(args.workspace).as_ref(), &args.regime, &settings);
    if let settings::SettingsCheck::Mistakes(mistakes) = checked {
        return Err(WorkspaceError::Invalid(mistakes).into());
    }
    let form = EInvoicingForm {
        configuration: EInvoicing {
            regime: args.regime,
            company_id: args.company_id,
            workflow_id: args.workflow_id,
            settings,
        },
        token: Some(read_token(&args.token_file)?),
        webhook_token: args.webhook_token_file.as_deref().map(read_token).transpose()?,
    };
    let view = context.workspaces.set_e_invoicing(&context.operator, args.workspace, &form).await?;
    if checked == settings::SettingsCheck::NoPlugin {
        let regime = &view.configuration.regime;
        terminal::note(&format!(
            "note: no plugin for {regime} is in force, so settings and supplier were not checked: put {regime}.wasm into the plugins folder, or activate an installed version"
        ));
    }
    if !view.missing.is_empty() {
        let (regime, missing) = (&view.configuration.regime, view.missing.join(", "));
        terminal::note(&format!(
            "note: {regime} needs more of workspace {} ({missing}) and refuses its documents until that is there: 'gateway workspace set' gives it",
            args.workspace
        ));
    }
    out.data(&EInvoicingAnswer::new(args.workspace, &view), || {
        format!("Documents of workspace {} go to the tax authority from now on.", args.workspace)
    });
    Ok(())
}

/// That there is a token, and until when it is good where it says so.
fn token_words(expires_at: Option<Timestamp>) -> String {
    expires_at.map_or_else(|| "set".to_owned(), |end| format!("set, good until {end}"))
}

fn not_configured(workspace: WorkspaceId) -> Failure {
    Failure::refused(format!(
        "workspace {workspace} is not configured: do it with 'gateway workspace e-invoicing set --workspace {workspace}'"
    ))
}

fn read_file(file: &Path) -> Result<Zeroizing<String>, Failure> {
    let refused = |error: std::io::Error| {
        Failure::refused(format!(
            "{} cannot be read ({}): give a text file that is there, or - for standard input",
            file.display(),
            unreadable(&error)
        ))
    };
    let mut text = Zeroizing::new(String::new());
    if file == Path::new("-") {
        std::io::stdin().lock().take(FILE_BYTES_MAX).read_to_string(&mut text).map_err(refused)?;
    } else {
        let opened = std::fs::File::open(file).map_err(refused)?;
        opened.take(FILE_BYTES_MAX).read_to_string(&mut text).map_err(refused)?;
    }
    Ok(text)
}

/// White space around a token is what editors leave behind.
fn read_token(file: &Path) -> Result<SecretString, Failure> {
    Ok(SecretString::from(read_file(file)?.trim()))
}

pub(crate) fn read_json(file: &Path) -> Result<Value, Failure> {
    let text = read_file(file)?;
    serde_json::from_str(&text).map_err(|error| {
        let file = file.display();
        Failure::refused(format!(
            "{file} is no JSON at {}: give one JSON object, such as {{}}",
            json_place(&error)
        ))
    })
}
