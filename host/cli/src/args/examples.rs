//! Commands as they are typed, for the help of each; a test parses them, and finds one for every command.

use clap::Command;

/// Stands in the lines below for one of its kind.
const UUID: &str = "0197f4f2-0000-7000-8000-000000000001";

/// A command, and what is typed behind it. The help of a command that only has others below it shows the first of each, unless
/// it has lines of its own.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("", &["demo", "serve", "doctor", "invoice list --state rejected"]),
    ("demo", &["", "--once", "--data-dir /tmp/demo --pdf"]),
    ("serve", &["", "--config /etc/gateway.toml"]),
    ("sandbox", &["--webhook-url http://127.0.0.1:8080/webhooks/provider --webhook-token TOKEN"]),
    ("migrate", &[""]),
    ("rules check", &["--at 2027-01-01", "--at 2027-01-01 --workspace 1 --json"]),
    (
        "client create",
        &[
            "--name ERP --permission invoicing.rpc,finance.rpc --workspace 1",
            "--name operations --permission admin --workspace '*' --json",
        ],
    ),
    ("client list", &[""]),
    ("client show", &["UUID"]),
    ("client set", &["UUID --permission console.read,finance.rpc", "UUID --enable"]),
    ("client disable", &["UUID"]),
    ("client rotate-secret", &["UUID"]),
    (
        "workspace create",
        &["--name Flats --legal-name 'Flats S.L.' --tax-id B98602642 --country ES --time-zone Europe/Madrid"],
    ),
    ("workspace list", &[""]),
    (
        "workspace set",
        &["--workspace 1 --rejection-strategy b", "--workspace 1 --invoice-pattern 'F-{year}-{number:06}'"],
    ),
    (
        "workspace e-invoicing set",
        &[
            "--workspace 1 --regime es-verifactu --company-id UUID --workflow-id UUID --token-file token",
            "--workspace 1 --regime es-verifactu --company-id UUID --workflow-id UUID --token-file -",
        ],
    ),
    ("workspace e-invoicing show", &["--workspace 1"]),
    ("workspace e-invoicing clear", &["--workspace 1"]),
    ("workspace printing set", &["--workspace 1 --logo logo.png --template template.json"]),
    ("workspace printing show", &["--workspace 1"]),
    ("workspace printing clear", &["--workspace 1"]),
    (
        "plugin",
        &[
            "install es-verifactu.wasm",
            "activate es-verifactu@0.4.0 --share 10",
            "activate es-verifactu@0.4.0",
            "rollback es-verifactu",
        ],
    ),
    ("plugin list", &[""]),
    ("plugin inspect", &["es-verifactu.wasm"]),
    (
        "plugin install",
        &[
            "es-verifactu.wasm",
            "es-verifactu.wasm --activate",
            "oci://registry.example/es-verifactu@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        ],
    ),
    ("plugin push", &["es-verifactu.wasm oci://registry.example/es-verifactu:0.4.0"]),
    (
        "plugin pull",
        &[
            "oci://registry.example/es-verifactu:0.4.0",
            "oci://registry.example/es-verifactu:0.4.0 --out plugin.wasm",
        ],
    ),
    (
        "plugin activate",
        &[
            "es-verifactu@0.4.0 --workspace 1",
            "es-verifactu@0.4.0 --share 10",
            "es-verifactu@0.5.0 --at 2027-01-01",
            "es-verifactu@0.4.0",
        ],
    ),
    ("plugin unschedule", &["es-verifactu@0.5.0", "es-verifactu@0.5.0 --workspace 1"]),
    ("plugin disable", &["es-verifactu", "es-verifactu --workspace 1"]),
    ("plugin rollback", &["es-verifactu", "es-verifactu --everywhere"]),
    ("plugin keygen", &["--key plugin-signing.key"]),
    ("plugin sign", &["es-verifactu.wasm --key plugin-signing.key"]),
    ("renderer", &["install render-pdf.wasm --activate", "activate render-pdf@0.1.0", "rollback", "disable"]),
    ("renderer list", &[""]),
    ("renderer install", &["render-pdf.wasm", "render-pdf.wasm --activate"]),
    ("renderer activate", &["render-pdf@0.1.0"]),
    ("renderer disable", &[""]),
    ("renderer rollback", &[""]),
    ("plugin new", &["pt-saft", "pt-saft --lang python"]),
    ("plugin build", &[""]),
    (
        "plugin test",
        &["pt_saft.wasm", "pt_saft.wasm --cases golden --update", "pt_saft.wasm --payloads records"],
    ),
    ("plugin watch", &["--install", "--into http://127.0.0.1:8081 --token-file token"]),
    (
        "invoice list",
        &[
            "--workspace 1 --state rejected",
            "--recipient 'jane roe' --issued-from 2026-11-01 --gross-from 100",
        ],
    ),
    ("invoice show", &["UUID", "F-2026-000017"]),
    ("invoice pdf", &["UUID --locale en --output invoice.pdf"]),
    ("invoice issue", &["UUID --dry-run", "UUID"]),
    ("invoice resubmit", &["UUID"]),
    ("invoice amend", &["UUID --changes changes.json --dry-run", "F-2026-000017 --changes -"]),
    ("invoice amendments", &["UUID", "UUID --json"]),
    ("invoice withdraw-amendment", &["UUID"]),
    ("invoice annotations", &["UUID", "F-2026-000017 --json"]),
    (
        "invoice annotate",
        &["UUID --note 'The company pays after the audit' --tag audit-2026", "UUID --untag audit-2026"],
    ),
    ("invoice attach", &["UUID contract.pdf --media-type application/pdf"]),
    ("invoice attachment", &["UUID UUID --output contract.pdf"]),
    ("invoice detach", &["UUID UUID"]),
    ("submission list", &["--alerted", "--state waiting --limit 20"]),
    ("submission show", &["UUID"]),
    ("submission outages", &["", "--limit 5 --json"]),
    ("submission declare-outage", &["--side authority --since 2026-11-20T09:00:00Z --reason announced"]),
    ("submission end-outage", &["UUID", "UUID --at 2026-11-20T11:00:00Z"]),
    ("submission retry", &["UUID", "--all --workspace 1"]),
    ("submission acknowledge", &["UUID"]),
    ("recipient check", &["DE123456789 --workspace 1", "EL094019245 --json", "0192:991825827"]),
    ("webhook list", &[""]),
    ("webhook enable", &["UUID"]),
    ("webhook disable", &["UUID"]),
    ("webhook deliveries", &["UUID --status failed"]),
    ("keys rotate signing", &[""]),
    ("keys rotate master", &["", "--stage", "--finish"]),
    ("backup", &["gateway.backup", "gateway.backup --passphrase-file passphrase", "gateway.backup --verify"]),
    ("restore", &["gateway.backup --passphrase-file passphrase"]),
    ("move", &["--to postgres://gateway@db.example/gateway"]),
    ("import", &["data.ndjson", "- --json"]),
    ("person erase", &["ada@example.com --dry-run", "UUID --yes"]),
    ("rebuild read-models", &[""]),
    ("reconcile", &["", "--workspace 1 --from 2026-11-01", "--list", "--show UUID --csv"]),
    ("retention run", &["--dry-run", "", "--dry-run --json"]),
    ("doctor", &["", "--json", "--chain", "--chain --workspace 1"]),
    ("config check", &["", "--config /etc/gateway.toml"]),
    ("completions", &["bash"]),
    ("man", &["/usr/local/share/man/man1"]),
];

/// The command line with the examples in its help.
pub(super) fn attach(command: Command) -> Command {
    attached(command, "")
}

fn attached(command: Command, path: &str) -> Command {
    let lines = lines(path);
    let title = if lines.len() == 1 { "Example" } else { "Examples" };
    let command = command.after_help(format!("{title}:\n{}", lines.join("\n")));
    command.mut_subcommands(|inner| {
        let path = format!("{path} {}", inner.get_name());
        attached(inner, path.trim_start())
    })
}

/// The lines for the help of one command.
fn lines(path: &str) -> Vec<String> {
    let line = |path: &str, arguments: &str| {
        let typed: Vec<&str> =
            ["gateway", path, arguments].into_iter().filter(|part| !part.is_empty()).collect();
        format!("  {}", typed.join(" ").replace("UUID", UUID))
    };
    if let Some((path, own)) = EXAMPLES.iter().find(|(of, _)| *of == path) {
        return own.iter().map(|arguments| line(path, arguments)).collect();
    }
    let is_below = |of: &str| of.strip_prefix(path).is_some_and(|rest| rest.starts_with(' '));
    let below = EXAMPLES.iter().filter(|(of, _)| is_below(of));
    below.filter_map(|(of, lines)| Some(line(of, lines.first()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, command};
    use clap::Parser;

    /// Words of a line as a shell reads them, with single quotes.
    fn words(line: &str) -> Vec<String> {
        let quoted = line.split('\'').enumerate();
        let pieces = quoted.flat_map(|(at, piece)| {
            if at % 2 == 1 {
                vec![piece.to_owned()]
            } else {
                piece.split_whitespace().map(str::to_owned).collect()
            }
        });
        pieces.collect()
    }

    /// Every command, with the words that lead to it.
    fn commands(command: &Command, path: &[String], found: &mut Vec<(Vec<String>, Command)>) {
        let path = [path, &[command.get_name().to_owned()]].concat();
        command.get_subcommands().for_each(|inner| commands(inner, &path, found));
        found.push((path, command.clone()));
    }

    fn all() -> Vec<(Vec<String>, Command)> {
        let mut found = Vec::new();
        commands(&command(), &[], &mut found);
        found
    }

    #[test]
    fn the_help_of_every_command_has_examples_that_are_understood() {
        let all = all();
        assert!(all.len() > 60, "{}", all.len());
        for (path, command) in &all {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let lines: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  ")).collect();
            assert!(!lines.is_empty(), "no example: {path:?}");
            for line in lines {
                assert!(words(line).starts_with(path), "an example of {path:?}: {line}");
                if let Err(error) = Cli::try_parse_from(words(line)) {
                    panic!("{line}: {error}");
                }
            }
        }
    }

    #[test]
    fn every_example_is_of_a_command() {
        let known: Vec<String> = all().into_iter().map(|(path, _)| path[1..].join(" ")).collect();
        for (path, lines) in EXAMPLES {
            assert!(known.iter().any(|known| known == path) && !lines.is_empty(), "{path}");
        }
    }

    #[test]
    fn the_help_of_a_new_client_names_the_permissions() {
        let mut root = command();
        let create =
            root.find_subcommand_mut("client").and_then(|client| client.find_subcommand_mut("create"));
        let help = create.unwrap().render_long_help().to_string();
        for permission in gateway_domain::access::Permission::ALL {
            assert!(help.contains(permission.as_str()), "{permission}: {help}");
        }
    }
}
