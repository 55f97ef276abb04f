//! Commands as they are typed, for the help of each; a test parses them.

pub(super) const CLIENT_CREATE: &str = "\
Examples:
  gateway client create --name ERP --permission invoicing.rpc,finance.rpc --workspace 1
  gateway client create --name operations --permission admin --workspace '*' --json";

pub(super) const CLIENT_SET: &str = "\
Examples:
  gateway client set 0197f4f2-0000-7000-8000-0000000000c1 --permission console.read,finance.rpc
  gateway client set 0197f4f2-0000-7000-8000-0000000000c1 --enable";

pub(super) const WORKSPACE_CREATE: &str = "\
Example:
  gateway workspace create --name Flats --legal-name 'Flats S.L.' --tax-id B98602642 --country ES --time-zone Europe/Madrid";

pub(super) const E_INVOICING: &str = "\
Example, with the token on standard input:
  gateway workspace e-invoicing set --workspace 1 --regime es-verifactu --company-id 0197f4f2-0000-7000-8000-0000000000aa \
--workflow-id 0197f4f2-0000-7000-8000-0000000000bb --token-file -";

pub(super) const PRINTING: &str = "\
Example:
  gateway workspace printing set --workspace 1 --logo logo.png --template template.json";

pub(super) const PLUGIN: &str = "\
Examples:
  gateway plugin install es-verifactu.wasm
  gateway plugin activate es-verifactu@0.4.0 --workspace 1
  gateway plugin activate es-verifactu@0.4.0
  gateway plugin rollback es-verifactu";

pub(super) const INVOICE: &str = "\
Examples:
  gateway invoice list --workspace 1 --state rejected
  gateway invoice show 0197f4f2-0000-7000-8000-000000000001
  gateway invoice pdf 0197f4f2-0000-7000-8000-000000000001 --locale en --output invoice.pdf
  gateway invoice issue 0197f4f2-0000-7000-8000-000000000001 --dry-run
  gateway invoice resubmit 0197f4f2-0000-7000-8000-000000000001";

pub(super) const SUBMISSION: &str = "\
Examples:
  gateway submission list --alerted
  gateway submission retry 0197f4f2-0000-7000-8000-000000000001
  gateway submission retry --all --workspace 1";

pub(super) const COMPLETIONS: &str = "\
Example, for the shell that reads it:
  gateway completions bash";

#[cfg(test)]
mod tests {
    use crate::args::Cli;
    use clap::{Command, CommandFactory, Parser};

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

    fn examples(command: &Command, found: &mut Vec<String>) {
        if let Some(help) = command.get_after_help() {
            let help = help.to_string();
            found.extend(help.lines().filter_map(|line| line.strip_prefix("  ")).map(str::to_owned));
        }
        command.get_subcommands().for_each(|inner| examples(inner, found));
    }

    #[test]
    fn every_example_of_the_help_is_a_command() {
        let mut found = Vec::new();
        examples(&Cli::command(), &mut found);
        assert!(found.len() >= 15, "{found:?}");
        for line in found {
            if let Err(error) = Cli::try_parse_from(words(&line)) {
                panic!("{line}: {error}");
            }
        }
    }

    #[test]
    fn the_help_of_a_new_client_names_the_permissions() {
        let mut root = Cli::command();
        let create =
            root.find_subcommand_mut("client").and_then(|client| client.find_subcommand_mut("create"));
        let help = create.unwrap().render_long_help().to_string();
        for permission in gateway_domain::access::Permission::ALL {
            assert!(help.contains(permission.as_str()), "{permission}: {help}");
        }
    }
}
