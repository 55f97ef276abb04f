//! `gateway recipient …`.

use crate::args::{CheckArgs, CheckedRecipient, RecipientCommand};
use crate::{CommandContext, Program};
use gateway_config::Config;
use gateway_domain::ids::WorkspaceId;
use gateway_domain_recipients::participant::{
    DocumentType, LookupDoubt, Participant, ParticipantAnswerBody, ParticipantOutcome,
};
use gateway_domain_recipients::{Doubt, EvidenceBody, VatNumber};
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
    let CheckArgs { recipient, workspace } = args;
    match recipient {
        CheckedRecipient::Number(number) => check_number(context, &number, workspace, out).await,
        CheckedRecipient::Participant(participant) => check_participant(context, &participant, out).await,
    }
}

async fn check_number(
    context: &CommandContext,
    number: &VatNumber,
    workspace: Option<WorkspaceId>,
    out: Out,
) -> Result<(), Failure> {
    let supplier = match workspace {
        None => None,
        Some(id) => {
            let found = context.workspaces.find(id).await?;
            let unknown =
                || Failure::refused(format!("there is no workspace {id}: see 'gateway workspace list'"));
            Some(found.ok_or_else(unknown)?.supplier)
        }
    };
    let (evidence, doubt) = context.recipients.evidence(number, supplier.as_ref()).await?;
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

async fn check_participant(
    context: &CommandContext,
    participant: &Participant,
    out: Out,
) -> Result<(), Failure> {
    let Some(found) = context.recipients.participant(participant).await? else {
        return Err(Failure::refused(format!(
            "nobody knows what {participant} receives: set recipient_check.sml_zone, so that the network is asked"
        )));
    };
    let mut answers = Vec::new();
    for (check, doubt) in found {
        let documents = check.document_type.plural();
        match doubt.map(LookupDoubt::as_str) {
            Some(doubt) if check.outcome == ParticipantOutcome::Unknown => {
                return Err(Failure::refused(format!(
                    "it is not known whether {participant} receives {documents} ({doubt}): repeat it later"
                )));
            }
            Some(doubt) => terminal::note(&format!(
                "note: there was no answer about {documents} now ({doubt}); this is what was known before"
            )),
            None => {}
        }
        answers.push(ParticipantAnswerBody::from(check));
    }
    let columns = || {
        [
            Column::id("PARTICIPANT"),
            Column::value("DOCUMENTS"),
            Column::state("OUTCOME"),
            Column::value("CHECKED"),
        ]
    };
    out.data(&answers, || {
        let rows = answers.iter().map(|answer| {
            vec![
                answer.participant.clone(),
                DocumentType::plural(answer.document_type).to_owned(),
                answer.outcome.as_str().to_owned(),
                format!("{:.0}", answer.checked_at),
            ]
        });
        terminal::listing(columns(), rows.collect::<Vec<_>>())
    });
    Ok(())
}
