//! What can be typed. The names are the public contract.

mod author;
#[cfg(test)]
mod contract;
mod doctor;
mod examples;
mod invoice;
mod keys;
mod person;
mod plugin;
mod recipient;
mod reconcile;
mod recovery;
mod renderer;
mod retention;
mod rules;
mod submission;
mod typed;
mod web;
mod webhook;
mod workspaces;

pub use author::{AuthorCommand, Language, WatchArgs};
pub use doctor::DoctorArgs;
pub use invoice::{
    AmendArgs, AnnotateArgs, AnnotationCommand, AttachArgs, AttachmentArgs, DocumentName, InvoiceCommand,
    IssueArgs, PdfArgs,
};
pub use keys::{KeysCommand, MasterArgs, RotateCommand};
pub use person::{EraseArgs, PersonCommand};
pub use plugin::{KeyArgs, PluginCommand, PluginSource, RollbackArgs};
pub use recipient::{CheckArgs, CheckedRecipient, RecipientCommand};
pub use reconcile::ReconcileArgs;
pub use recovery::{BackupArgs, MoveArgs, RestoreArgs};
pub use renderer::RendererCommand;
pub use retention::RetentionCommand;
pub use rules::{RulesCheckArgs, RulesCommand};
pub use submission::{DeclareArgs, SubmissionCommand};
pub use webhook::WebhookCommand;
pub use workspaces::{
    CreateArgs, EInvoicingArgs, EInvoicingCommand, PrintingArgs, PrintingCommand, SetArgs, WorkspaceCommand,
};

use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use gateway_domain::access::{Actor, OperatorName, Permission};
use gateway_domain::ids::{ClientId, WorkspaceId};
use std::net::SocketAddr;
use std::path::PathBuf;
use url::Url;
use web::web_address;

/// An e-invoicing gateway: invoices go to the tax authority through sandboxed tax-regime plugins.
#[derive(Debug, Parser)]
#[command(name = "gateway", version, max_term_width = 100)]
pub struct Cli {
    /// The configuration file [default: gateway.toml, if there is one].
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print data as JSON.
    #[arg(long, global = true)]
    pub json: bool,
    /// Who changes something, for the audit trail [default: the user of the system, also behind sudo].
    #[arg(long = "as", global = true, value_name = "NAME")]
    pub operator: Option<OperatorName>,
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Who typed the command: as they say, else as the system knows them.
    pub fn operator(&self) -> Actor {
        let name = self.operator.clone().or_else(system_user);
        name.map_or_else(Actor::operator, |name| Actor::of_operator(&name))
    }
}

/// The user who logged in, also where `sudo` runs the command as another; none where the system has no name that fits.
fn system_user() -> Option<OperatorName> {
    let before_sudo = std::env::var("SUDO_USER").ok().and_then(|name| name.parse().ok());
    before_sudo.or_else(|| whoami::username().ok()?.parse().ok())
}

/// The command line with examples in its help.
pub fn command() -> clap::Command {
    examples::attach(Cli::command())
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Sample data and a dozen invoices on their way, shown step by step.
    Demo {
        /// Exit when all arrived: 0 when every one ended as expected.
        #[arg(long)]
        once: bool,
        /// Write one of the invoices as a PDF into this folder's file demo.pdf, by the renderer in the plugins folder.
        #[arg(long)]
        pdf: bool,
        /// Where everything is kept [default: data_dir].
        #[arg(long, value_name = "DIR")]
        data_dir: Option<PathBuf>,
    },
    /// Everything in one process: public and internal listener, jobs, event dispatch.
    Serve,
    /// The stand-in for provider and tax authority, alone.
    Sandbox(SandboxArgs),
    /// Bring the database up to date.
    Migrate,
    /// Who may call.
    #[command(subcommand)]
    Client(ClientCommand),
    /// Who issues invoices, and how they are sent.
    #[command(subcommand)]
    Workspace(WorkspaceCommand),
    /// Tax regimes.
    #[command(subcommand)]
    Plugin(PluginCommand),
    /// What makes documents for people.
    #[command(subcommand)]
    Renderer(RendererCommand),
    /// Invoices and other documents.
    #[command(subcommand)]
    Invoice(InvoiceCommand),
    /// Invoices on their way to the tax authority.
    #[command(subcommand)]
    Submission(SubmissionCommand),
    /// Where customers are told of changes.
    #[command(subcommand)]
    Webhook(WebhookCommand),
    /// Keys that sign and seal.
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Write everything into one file, beside a gateway that may serve.
    Backup(BackupArgs),
    /// Read a backup into an empty database, and check it.
    Restore(RestoreArgs),
    /// Copy everything into a database of the other kind: from SQLite to PostgreSQL, or back.
    Move(MoveArgs),
    /// Platform data and issued documents of another system from a file, one JSON object a line.
    Import(ImportArgs),
    /// People whose data the platform holds.
    #[command(subcommand)]
    Person(PersonCommand),
    /// What follows from the event log.
    #[command(subcommand)]
    Rebuild(RebuildCommand),
    /// Compare what was filed with what the provider holds, by the gateway that serves.
    Reconcile(ReconcileArgs),
    /// Whom invoices go to.
    #[command(subcommand)]
    Recipient(RecipientCommand),
    /// Rules that change on a day.
    #[command(subcommand)]
    Rules(RulesCommand),
    /// What is old enough to leave the database.
    #[command(subcommand)]
    Retention(RetentionCommand),
    /// Look at configuration, database, keys, plugins and provider, and say what to do.
    Doctor(DoctorArgs),
    /// The configuration.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// A script that completes commands and options in a shell, on standard output.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Pages for 'man', one for each command.
    Man {
        /// The folder that they are written to.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

impl Command {
    /// Whether it is about documents that are there: without a database there is nothing for it. Scripts list clients and
    /// workspaces of a gateway that they are about to set up.
    pub const fn needs_a_database(&self) -> bool {
        matches!(self, Self::Invoice(_))
    }
}

#[derive(Debug, Args)]
pub struct SandboxArgs {
    /// Where it listens [default: sandbox.addr].
    #[arg(long, value_parser = typed::address)]
    pub addr: Option<SocketAddr>,
    /// Where notifications go, http:// or https://.
    #[arg(long, value_parser = web_address)]
    pub webhook_url: Url,
    /// Sent with notifications as bearer token.
    #[arg(long)]
    pub webhook_token: Option<String>,
    /// The bearer token callers must show; any unless given.
    #[arg(long)]
    pub token: Option<String>,
}

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The file; `-` reads standard input. Importing it again changes only what differs.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write the demonstration's data to FILE instead.
    #[arg(long, hide = true)]
    pub sample: bool,
}

#[derive(Debug, Subcommand)]
pub enum ClientCommand {
    /// Create a client; its secret is shown once.
    Create {
        /// For people.
        #[arg(long)]
        name: String,
        /// What it may do; repeat, or separate with commas. `*` is everything.
        #[arg(long = "permission", value_name = "PERMISSION", value_delimiter = ',', value_parser = typed::permission())]
        permissions: Vec<Permission>,
        /// A workspace it may see; repeat, or separate with commas. `*` is every one.
        #[arg(long = "workspace", value_name = "ID|*", value_delimiter = ',', value_parser = scope)]
        workspaces: Vec<Scope>,
    },
    /// Every client, without secrets.
    List,
    /// One client: what it may do, and which routes of the legacy API it still uses.
    Show {
        /// Its client_id.
        #[arg(value_parser = typed::uuid::<ClientId>)]
        id: ClientId,
    },
    /// Replace what a client may do; what is not given stays. It counts from its next request on.
    Set {
        /// Its client_id.
        #[arg(value_parser = typed::uuid::<ClientId>)]
        id: ClientId,
        /// For people.
        #[arg(long)]
        name: Option<String>,
        /// What it may do from now on; repeat, or separate with commas. `*` is everything.
        #[arg(long = "permission", value_name = "PERMISSION", value_delimiter = ',', value_parser = typed::permission())]
        permissions: Vec<Permission>,
        /// A workspace it may see from now on; repeat, or separate with commas. `*` is every one.
        #[arg(long = "workspace", value_name = "ID|*", value_delimiter = ',', value_parser = scope)]
        workspaces: Vec<Scope>,
        /// Let a disabled client call again.
        #[arg(long)]
        enable: bool,
    },
    /// Take everything away from a client; its tokens end within two seconds.
    Disable {
        /// Its client_id.
        #[arg(value_parser = typed::uuid::<ClientId>)]
        id: ClientId,
    },
    /// Give a client another secret, shown once; the last one stays valid until the next rotation.
    RotateSecret {
        /// Its client_id.
        #[arg(value_parser = typed::uuid::<ClientId>)]
        id: ClientId,
    },
}

/// A workspace, or every one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    All,
    One(WorkspaceId),
}

fn scope(text: &str) -> Result<Scope, String> {
    if text == "*" {
        return Ok(Scope::All);
    }
    workspace(text).map(Scope::One).map_err(|_| format!("'{text}' is neither a workspace id nor *"))
}

fn workspace(text: &str) -> Result<WorkspaceId, String> {
    match text.parse() {
        Ok(id) if id > 0 => Ok(WorkspaceId(id)),
        _ => Err(format!("'{text}' is no workspace id: use a number from 'gateway workspace list'")),
    }
}

#[derive(Debug, Subcommand)]
pub enum RebuildCommand {
    /// Build finance's copies and the booking documents again, beside a gateway that may serve.
    ReadModels,
}

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Check the configuration and show what holds.
    Check,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Command, clap::Error> {
        Cli::try_parse_from(line.split_whitespace()).map(|cli| cli.command)
    }

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn what_is_refused_is_told_without_the_words_of_a_library() {
        for (line, remedy) in [
            ("gateway submission show x", "it is no UUID"),
            ("gateway submission acknowledge x", "it is no UUID"),
            ("gateway submission retry x", "it is no UUID"),
            ("gateway client show x", "it is no UUID"),
            ("gateway client disable x", "it is no UUID"),
            ("gateway invoice list --gross-from 1.23456", "at most four decimals"),
            ("gateway client rotate-secret 1", "it is no UUID"),
            ("gateway webhook enable x", "it is no UUID"),
            ("gateway webhook disable x", "it is no UUID"),
            ("gateway webhook deliveries x", "it is no UUID"),
            ("gateway submission list --limit x", "give a whole number from 1 to 1000"),
            ("gateway submission list --limit 0", "give a whole number from 1 to 1000"),
            (
                "gateway webhook deliveries 0197f4f2-0000-7000-8000-000000000001 --limit 1.5",
                "from 1 to 10000",
            ),
            ("gateway workspace set --workspace 1 --next-number x", "give a whole number from"),
            (
                "gateway workspace set --workspace 1 --next-number 99999999999999999999",
                "give a whole number from",
            ),
            ("gateway plugin watch --into x --token-file t", "use http://"),
            ("gateway sandbox --webhook-url x", "use http://"),
            ("gateway sandbox --webhook-url http://x --addr y", "give an IP address and a port"),
            (
                "gateway workspace e-invoicing set --workspace 1 --regime es-verifactu --company-id x",
                "it is no UUID",
            ),
            (
                "gateway workspace e-invoicing set --workspace 1 --regime es-verifactu --workflow-id x",
                "it is no UUID",
            ),
        ] {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(remedy), "{line}: {error}");
            for words in [
                "invalid character",
                "socket address syntax",
                "relative URL",
                "UUID parsing",
                "invalid digit",
                "target type",
                "is not in",
                "invalid length",
            ] {
                assert!(!error.contains(words), "{line}: {error}");
            }
        }
    }

    #[test]
    fn permissions_and_workspaces_are_repeated_or_separated() {
        let line = "gateway client create --name N --permission admin --permission invoicing.rpc,finance.rpc --workspace 1,2 --json";
        let Command::Client(ClientCommand::Create { permissions, workspaces, .. }) = parse(line).unwrap()
        else {
            panic!("another command");
        };
        assert_eq!(permissions, [Permission::Admin, Permission::InvoicingRpc, Permission::FinanceRpc]);
        assert_eq!(workspaces, [Scope::One(WorkspaceId(1)), Scope::One(WorkspaceId(2))]);
        assert!(matches!(
            parse("gateway client create --name N --permission * --workspace *").unwrap(),
            Command::Client(ClientCommand::Create { workspaces, .. }) if workspaces == [Scope::All]
        ));
    }

    #[test]
    fn every_command_of_the_contract_is_understood() {
        for line in [
            "gateway serve --config /etc/gateway.toml",
            "gateway sandbox --addr 127.0.0.1:0 --webhook-url http://127.0.0.1:1/x --webhook-token a --token b",
            "gateway demo --once --data-dir /tmp/x",
            "gateway migrate",
            "gateway client list --json",
            "gateway client disable 0197f4f2-0000-7000-8000-000000000001",
            "gateway client rotate-secret 0197f4f2-0000-7000-8000-000000000001",
            "gateway workspace create --name N --legal-name L --tax-id B1 --country ES --time-zone Europe/Madrid --street S --locality L --region R --postcode P --address-country ES --email a@b.es --json",
            "gateway workspace set --workspace 1 --rejection-strategy b --invoice-pattern P --credit-pattern Q --next-number 7 --next-credit-number 8",
            "gateway workspace e-invoicing set --workspace 1 --regime es-verifactu --company-id 0197f4f2-0000-7000-8000-000000000001 --workflow-id 0197f4f2-0000-7000-8000-000000000002 --token-file - --webhook-token-file F --settings S",
            "gateway workspace e-invoicing show --workspace 1",
            "gateway workspace e-invoicing clear --workspace 1",
            "gateway workspace printing set --workspace 1 --logo logo.png --template template.json",
            "gateway workspace printing show --workspace 1 --json",
            "gateway workspace printing clear --workspace 1",
            "gateway plugin list",
            "gateway plugin inspect x.wasm --json",
            "gateway plugin install x.wasm --activate --json",
            "gateway plugin activate es-verifactu@1.0.0 --workspace 1 --force",
            "gateway plugin disable es-verifactu",
            "gateway plugin rollback es-verifactu --workspace 1",
            "gateway plugin keygen --key k",
            "gateway plugin sign x.wasm --key k",
            "gateway renderer list",
            "gateway renderer install x.wasm --activate --json",
            "gateway renderer activate render-pdf@0.1.0",
            "gateway renderer rollback",
            "gateway renderer disable",
            "gateway submission list --state waiting --alerted --limit 1000",
            "gateway submission show 0197f4f2-0000-7000-8000-000000000001",
            "gateway submission retry 0197f4f2-0000-7000-8000-000000000001",
            "gateway submission retry --workspace 1 --all",
            "gateway keys rotate signing --json",
            "gateway keys rotate master",
            "gateway keys rotate master --stage",
            "gateway keys rotate master --finish",
            "gateway rebuild read-models",
            "gateway recipient check DE123456789 --workspace 1 --json",
            "gateway rules check --at 2027-01-01 --workspace 1 --json",
            "gateway doctor --chain --workspace 1 --json",
            "gateway config check",
        ] {
            let state = gateway_domain_finance::Stage::ALL[0].as_str();
            let line = line.replace("--state waiting", &format!("--state {state}"));
            parse(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        }
    }

    #[test]
    fn what_makes_no_sense_is_misuse() {
        for line in [
            "gateway",
            "gateway fly",
            "gateway client create",
            "gateway client create --name N --permission everything",
            "gateway client create --name N --workspace one",
            "gateway client disable me",
            "gateway workspace set --workspace 0 --next-number 1",
            "gateway workspace e-invoicing set --workspace 1 --regime ES --company-id x --workflow-id y --token-file -",
            "gateway plugin activate es-verifactu",
            "gateway plugin disable ES",
            "gateway plugin rollback es-verifactu --workspace 0",
            "gateway submission list --state nowhere",
            "gateway submission retry",
            "gateway submission retry --all",
            "gateway submission retry --workspace 1",
            "gateway submission retry 0197f4f2-0000-7000-8000-000000000001 --workspace 1 --all",
            "gateway recipient check B17002288",
            "gateway recipient check DE1",
            "gateway rules check",
            "gateway rules check --at 2027-02-29",
            "gateway rules check --at 2027-01-01T00:00:00Z",
            "gateway rules check --at 2027-01-01 --workspace 0",
            "gateway keys",
            "gateway keys rotate",
            "gateway keys rotate signing --stage",
            "gateway keys rotate master --stage --finish",
            "gateway doctor --workspace 1",
        ] {
            let error = parse(line).expect_err(line);
            assert_eq!(error.exit_code(), 2, "{line}");
        }
    }
}
