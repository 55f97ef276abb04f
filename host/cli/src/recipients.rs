//! `gateway recipient …`.

use crate::args::{CheckArgs, RecipientCommand};
use crate::{CommandContext, Program};
use gateway_config::Config;
use gateway_domain_recipients::{Doubt, EvidenceBody};
use gateway_terminal::{self as terminal, Column, Failure, Out};

/// Carries it out.
pub async fn run(
    command: RecipientCommand,
    config: &Config,
    program: &Program,
    out: Out,
) -> Result<(), Failure> {
    let RecipientCommand::Check(args) = command;
    program.run(config, async |context| check(context, args, out).await).await
}

async fn check(context: &CommandContext, args: CheckArgs, out: Out) -> Result<(), Failure> {
    let CheckArgs { number, workspace } = args;
    let supplier = match workspace {
        None => None,
        Some(id) => {
            let found = context.workspaces.find(id).await?;
            let unknown =
                || Failure::refused(format!("there is no workspace {id}: see 'gateway workspace list'"));
            Some(found.ok_or_else(unknown)?.supplier)
        }
    };
    let (evidence, doubt) = context.recipients.evidence(&number, supplier.as_ref()).await?;
    let Some(evidence) = evidence else {
        return Err(Failure::refused(match doubt.map(Doubt::as_str) {
            Some(doubt) => {
                format!("VIES did not say whether {number} is a valid VAT number ({doubt}): repeat it later")
            }
            None => format!(
                "nobody knows whether {number} is a valid VAT number: set recipient_check.vies_url, so that VIES is asked"
            ),
        }));
    };
    if let Some(doubt) = doubt.map(Doubt::as_str) {
        terminal::note(&format!("note: VIES gave no answer now ({doubt}); this is what it said before"));
    }
    show(&EvidenceBody::from(&evidence), out);
    Ok(())
}

fn show(evidence: &EvidenceBody<'_>, out: Out) {
    out.data(evidence, || {
        let columns = [
            Column::id("VAT NUMBER"),
            Column::state("VALID"),
            Column::value("CHECKED"),
            Column::value("CONSULTATION"),
            Column::value("ASKED BY"),
            Column::text("NAME AND ADDRESS"),
        ];
        let whose: Vec<_> = evidence.name.into_iter().chain(evidence.address).collect();
        let row = vec![
            evidence.vat_number.clone(),
            if evidence.valid { "valid" } else { "invalid" }.to_owned(),
            format!("{:.0}", evidence.checked_at),
            evidence.consultation_number.unwrap_or("-").to_owned(),
            evidence.requester.clone().unwrap_or_else(|| "-".to_owned()),
            whose.join(", "),
        ];
        terminal::listing(columns, [row])
    });
}
