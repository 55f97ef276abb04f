//! `gateway person …`.

use crate::args::{EraseArgs, PersonCommand};
use crate::{CommandContext, Program};
use gateway_config::Config;
use gateway_platform::ErasureCounts;
use gateway_terminal::{Failure, Out};
use serde::Serialize;

/// What was erased, or would be.
#[derive(Serialize)]
struct ErasureView {
    erased: bool,
    #[serde(flatten)]
    counts: ErasureCounts,
}

/// Carries it out.
pub async fn run(
    command: PersonCommand,
    config: &Config,
    program: &Program,
    out: Out,
) -> Result<(), Failure> {
    let PersonCommand::Erase(args) = command;
    program.run(config, async |context| erase(context, &args, out).await).await
}

async fn erase(context: &CommandContext, args: &EraseArgs, out: Out) -> Result<(), Failure> {
    let erasure = &context.platform.erasure;
    let counts = match erasure.person(&args.person).await? {
        None => ErasureCounts::default(),
        Some(person) if args.yes => erasure.erase(&context.operator, &person).await?,
        Some(person) => erasure.find(&person).await?,
    };
    out.data(&ErasureView { erased: args.yes, counts }, || sentence(counts, args.yes));
    if args.yes || args.dry_run || counts == ErasureCounts::default() {
        return Ok(());
    }
    Err(Failure::refused(
        "nothing was erased yet: give the command again with --yes, or --dry-run to only look",
    ))
}

fn sentence(counts: ErasureCounts, erased: bool) -> String {
    if counts == ErasureCounts::default() {
        return "Nobody has this id or address: there is nothing to erase.".to_owned();
    }
    let ErasureCounts { bookings, contacts, guest_verifications, messages, users } = counts;
    let verb = if erased { "Erased" } else { "Would erase" };
    format!(
        "{verb}: contacts of bookings {contacts} (in {bookings} bookings), details of guests {guest_verifications}, texts of \
         messages {messages}, users {users}.\nInvoices and what was sent to the tax authority stay: the law asks to keep them \
         (GDPR article 17(3)(b))."
    )
}
