//! `gateway rules …`.

use crate::args::{RulesCheckArgs, RulesCommand};
use crate::{CommandContext, Program};
use gateway_config::Config;
use gateway_domain::access::{Acting, Workspaces};
use gateway_invoicing::PAGE_MAX;
use gateway_rules::{CheckedDraft, CheckedOutcome, RuleCheck};
use gateway_terminal::{self as terminal, Column, Failure, Out, Text};
use jiff::civil::Date;
use serde::Serialize;

/// Drafts told of; the rest is counted.
const TOLD_MAX: usize = 1_000;

/// What was found of all drafts.
#[derive(Debug, Serialize)]
struct RulesReport {
    at: Date,
    /// Drafts that a tax authority would be sent.
    checked: usize,
    refused: usize,
    unchecked: usize,
    /// Those that will be refused, or could not be checked, the oldest first.
    drafts: Vec<CheckedDraft>,
    /// How many more there are of them.
    more: usize,
}

/// Carries it out.
pub async fn run(command: RulesCommand, config: &Config, program: &Program, out: Out) -> Result<(), Failure> {
    let RulesCommand::Check(args) = command;
    program
        .run(config, async |context| {
            gateway_registry::load(&context.plugins, config.plugins_dir()).await?;
            context.plugins.load_coming().await;
            check(context, args, out).await
        })
        .await
}

async fn check(context: &CommandContext, args: RulesCheckArgs, out: Out) -> Result<(), Failure> {
    let RulesCheckArgs { at, workspace } = args;
    let acting = Acting { workspaces: Workspaces::All, actor: context.operator.clone(), request: None };
    let mut report = RulesReport { at, checked: 0, refused: 0, unchecked: 0, drafts: Vec::new(), more: 0 };
    let mut after = None;
    loop {
        let page = context.rules.page(&acting, RuleCheck { at, workspace }, after, PAGE_MAX).await?;
        report.add(page.checked, page.found);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    out.data(&report, || report.text());
    report.verdict()
}

impl RulesReport {
    fn add(&mut self, checked: usize, found: Vec<CheckedDraft>) {
        self.checked = self.checked.saturating_add(checked);
        for draft in found {
            let count = match draft.outcome {
                CheckedOutcome::Refused => &mut self.refused,
                CheckedOutcome::Unchecked => &mut self.unchecked,
            };
            *count = count.saturating_add(1);
            if self.drafts.len() < TOLD_MAX {
                self.drafts.push(draft);
            } else {
                self.more = self.more.saturating_add(1);
            }
        }
    }

    fn text(&self) -> Text {
        if self.drafts.is_empty() {
            let Self { at, checked, .. } = self;
            return Text::from(format!(
                "Nothing of {checked} drafts is refused on {at} that is not refused today."
            ));
        }
        let columns = [
            Column::id("DOCUMENT"),
            Column::value("WORKSPACE"),
            Column::state("OUTCOME"),
            Column::value("PLUGIN"),
            Column::value("CODE"),
            Column::value("PATH"),
            Column::text("WHY"),
        ];
        terminal::listing(columns, self.drafts.iter().flat_map(rows))
    }

    /// Refused drafts, and those of which nobody could say, are somebody's to look at.
    fn verdict(&self) -> Result<(), Failure> {
        let Self { at, refused, unchecked, .. } = self;
        match (refused, unchecked) {
            (0, 0) => Ok(()),
            (0, _) => Err(Failure::refused(format!(
                "{unchecked} drafts could not be checked as of {at}: the reason of each says what to do"
            ))),
            (_, 0) => Err(Failure::refused(format!(
                "{refused} drafts will be refused on {at}: mend them, or issue them before"
            ))),
            (_, _) => Err(Failure::refused(format!(
                "{refused} drafts will be refused on {at}, and {unchecked} could not be checked: mend them, or issue them before"
            ))),
        }
    }
}

/// A row for each fault, or for the reason.
fn rows(draft: &CheckedDraft) -> Vec<Vec<String>> {
    let row = |code: &str, path: &str, why: String| {
        vec![
            draft.document_id.to_string(),
            draft.workspace_id.to_string(),
            draft.outcome.as_str().to_owned(),
            draft.plugin.clone().unwrap_or_else(|| "-".to_owned()),
            code.to_owned(),
            path.to_owned(),
            why,
        ]
    };
    let mut rows: Vec<_> =
        draft.faults.iter().map(|fault| row(&fault.code, &fault.path, fault.message.clone())).collect();
    rows.extend(draft.reason.iter().map(|reason| row("-", "-", reason.clone())));
    if draft.more_faults > 0 {
        rows.push(row("-", "-", format!("and {} faults more", draft.more_faults)));
    }
    rows
}
