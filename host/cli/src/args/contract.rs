//! The page of the public contract against the command line and the configuration: every command, option and key that it
//! names is there. The page is no part of this repository: `GATEWAY_TEST_CONTRACT` names the file.

use super::Cli;
use clap::{Command, CommandFactory};
use gateway_config as config;
use std::collections::BTreeSet;

fn page() -> Option<String> {
    let Ok(path) = std::env::var("GATEWAY_TEST_CONTRACT") else {
        eprintln!("did not run: GATEWAY_TEST_CONTRACT names no page of the public contract");
        return None;
    };
    Some(std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}")))
}

/// Every line of the page that is a command: those of the list, without what follows three blanks, and those of the additions.
fn commands(page: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for line in page.lines() {
        if let Some(command) = line.strip_prefix("gateway ") {
            commands.push(command.split("   ").next().unwrap_or_default().to_owned());
        } else if line.starts_with('|') {
            let quoted = line.replace("\\|", "|");
            let quoted = quoted.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
            let own = quoted.iter().filter_map(|text| {
                text.strip_prefix("gateway ").or_else(|| text.starts_with("plugin ").then_some(text))
            });
            commands.extend(own.map(|text| format!("+{text}")));
        }
    }
    commands
}

/// What one line names: `client list | disable ID | rotate-secret ID` are three commands of `client`.
fn missing(line: &str, root: &Command) -> Vec<String> {
    let (line, is_addition) = line.strip_prefix('+').map_or((line, false), |line| (line, true));
    let separated = if is_addition { line.replace('|', " | ") } else { line.to_owned() };
    let line = if is_addition && !separated.contains('[') && !separated.contains("--lang") {
        separated
    } else {
        line.to_owned()
    };
    let (mut missing, mut parents): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for (index, alternative) in line.split(" | ").enumerate() {
        let words: Vec<&str> = alternative.split_whitespace().collect();
        let start: Vec<String> = if index == 0 { Vec::new() } else { parents.clone() };
        let named =
            words.iter().take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).count();
        let first: Vec<&str> = words.get(..named).unwrap_or_default().to_vec();
        for path in spelled_out(&start, &first, root) {
            let Some(command) = find(root, &path) else {
                missing.push(path.join(" "));
                continue;
            };
            let known: BTreeSet<String> = command
                .get_arguments()
                .chain(root.get_arguments())
                .filter_map(|argument| argument.get_long().map(|long| format!("--{long}")))
                .collect();
            let options = alternative.split(|c: char| !(c.is_ascii_lowercase() || c == '-'));
            let absent =
                options.filter(|word| word.starts_with("--") && word.len() > 2 && !known.contains(*word));
            missing.extend(absent.map(|option| format!("{} {option}", path.join(" "))));
        }
        if index == 0 {
            parents = first.iter().take(named.saturating_sub(1)).map(|word| (*word).to_owned()).collect();
        }
    }
    missing
}

/// `show|clear` are two words; words that are no command (`signing|master` are ones) end the path.
fn spelled_out(start: &[String], words: &[&str], root: &Command) -> Vec<Vec<String>> {
    let mut paths = vec![start.to_vec()];
    for word in words {
        let mut longer = Vec::new();
        for path in &paths {
            let is_leaf = find(root, path).is_some_and(|command| !command.has_subcommands());
            if is_leaf {
                longer.push(path.clone());
                continue;
            }
            for choice in word.split('|') {
                longer.push([path.as_slice(), &[choice.to_owned()]].concat());
            }
        }
        paths = longer;
    }
    paths
}

fn find<'c>(root: &'c Command, path: &[String]) -> Option<&'c Command> {
    path.iter().try_fold(root, |command, name| command.find_subcommand(name))
}

#[test]
fn every_command_and_option_of_the_page_is_understood() {
    let Some(page) = page() else { return };
    let root = Cli::command();
    let commands = commands(&page);
    assert!(commands.len() > 20, "the page was read: {commands:?}");
    let missing: Vec<String> = commands.iter().flat_map(|line| missing(line, &root)).collect();
    assert!(missing.is_empty(), "the page promises what is not there: {missing:#?}");
}

#[test]
fn every_key_of_the_page_is_one_of_the_configuration() {
    let Some(page) = page() else { return };
    let named: BTreeSet<&str> = page
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| word.starts_with("GATEWAY_") && word.len() > "GATEWAY_".len())
        .collect();
    assert!(named.len() > 12, "the page was read: {named:?}");
    let known: BTreeSet<String> = config::variables().collect();
    let unknown: Vec<_> = named.iter().filter(|name| !known.contains(**name)).collect();
    assert!(unknown.is_empty(), "no configuration: {unknown:?}");
}
