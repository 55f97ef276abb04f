//! `gateway keys …`.

use crate::wiring;
use gateway_access::secrets::KeyStanding;
use gateway_access::views::RotatedView;
use gateway_access::{MasterKey, MasterKeys, Resealed, SealedOwner, Tokens};
use gateway_cli::args::{KeysCommand, MasterArgs, RotateCommand};
use gateway_config::Config;
use gateway_domain::access::Actor;
use gateway_domain::ids::ClientId;
use gateway_terminal::{Failure, Out};
use serde::Serialize;

/// More clients than this are only counted.
const CLIENTS_NAMED_MAX: usize = 5;

pub(crate) async fn run(
    command: KeysCommand,
    config: &Config,
    operator: &Actor,
    out: Out,
) -> Result<(), Failure> {
    let db = wiring::connect_migrated(config).await?;
    let keyring = wiring::keyring(config, &db).await?;
    let KeysCommand::Rotate(rotate) = command;
    let done = match rotate {
        RotateCommand::Signing => {
            // Only the lifetime of tokens matters here, and that is configured.
            let tokens = Tokens::new(wiring::clients(&db, &keyring), wiring::token_settings(config, ""));
            signing(&tokens, operator, out).await
        }
        RotateCommand::Master(args) => {
            master(&wiring::master_keys(&db, &keyring), args, config, (operator, out)).await
        }
    };
    db.close().await;
    done
}

async fn signing(tokens: &Tokens, operator: &Actor, out: Out) -> Result<(), Failure> {
    let rotated = tokens.rotate_signing_key(operator).await?;
    out.data(&RotatedView::from(&rotated), || {
        let old = rotated.old_published_until.map_or_else(
            || "There was no key before.".to_owned(),
            |until| format!("The key before it is published until {until}, when its last token has expired."),
        );
        format!("Key {} is published, and signs from {} on.\n{old}", rotated.kid, rotated.signs_from)
    });
    Ok(())
}

async fn master(
    keys: &MasterKeys,
    args: MasterArgs,
    config: &Config,
    (operator, out): (&Actor, Out),
) -> Result<(), Failure> {
    let file = config.master_key_file().display().to_string();
    if args.stage {
        let staged = keys.stage(operator).await?;
        out.data(&StagedKeyView { staged: &staged, file: &file }, || {
            format!(
                "Master key {staged} is staged in {file}: copy the file to the other hosts, then run 'gateway keys rotate master'."
            )
        });
        return Ok(());
    }
    let done = if args.finish { keys.finish(operator).await? } else { keys.rotate(operator).await? };
    let listed = keys.list().await?;
    let rotation = RotationView {
        active: &done.active,
        fresh: done.fresh,
        resealed: done.resealed,
        damaged: done.damaged.iter().map(owner).collect(),
        file: &file,
        keys: listed.iter().map(KeyView::from).collect(),
    };
    out.data(&rotation, || summary(&done, args.finish, &listed, &file));
    if rotation.damaged.is_empty() {
        return Ok(());
    }
    let named = rotation.damaged.join(", ");
    Err(Failure::refused(format!("the stored {named} cannot be opened: set it again, or restore it")))
}

fn summary(done: &Resealed, finish: bool, listed: &[MasterKey], file: &str) -> String {
    let (active, resealed) = (&done.active, done.resealed);
    let first = match (done.fresh, finish) {
        (true, _) => {
            format!("Master key {active} is active, and {resealed} secrets are sealed anew with it.")
        }
        (false, true) => format!("{resealed} secrets are sealed anew with master key {active}."),
        (false, false) => format!(
            "An earlier rotation to master key {active} is finished: {resealed} secrets are sealed anew. Run the command again to make another key."
        ),
    };
    let rest = listed.iter().map(|key| sentence(key, file).1);
    std::iter::once(first).chain(rest).collect::<Vec<_>>().join("\n")
}

fn owner(owner: &SealedOwner) -> String {
    match owner {
        SealedOwner::ProviderToken(workspace) => format!("provider token of workspace {workspace}"),
        SealedOwner::WebhookToken(workspace) => format!("webhook token of workspace {workspace}"),
        SealedOwner::SigningKey(kid) => format!("signing key {kid}"),
        SealedOwner::WebhookSecret(webhook) => format!("signing secret of webhook {webhook}"),
    }
}

/// A master key that becomes active with the next rotation.
#[derive(Serialize)]
struct StagedKeyView<'a> {
    staged: &'a str,
    file: &'a str,
}

/// What a rotation of master keys did.
#[derive(Serialize)]
struct RotationView<'a> {
    active: &'a str,
    fresh: bool,
    resealed: u64,
    /// What does not open, in words.
    damaged: Vec<String>,
    file: &'a str,
    keys: Vec<KeyView<'a>>,
}

/// A master key, and what depends on it.
#[derive(Serialize)]
struct KeyView<'a> {
    id: &'a str,
    state: &'static str,
    provider_tokens: i64,
    webhook_tokens: i64,
    signing_keys: i64,
    webhook_secrets: i64,
    clients: &'a [ClientId],
}

impl<'a> From<&'a MasterKey> for KeyView<'a> {
    fn from(key: &'a MasterKey) -> Self {
        let MasterKey { id, standing, uses } = key;
        Self {
            id,
            state: standing.map_or("missing", name),
            provider_tokens: uses.provider_tokens,
            webhook_tokens: uses.webhook_tokens,
            signing_keys: uses.signing_keys,
            webhook_secrets: uses.webhook_secrets,
            clients: &uses.clients,
        }
    }
}

const fn name(standing: KeyStanding) -> &'static str {
    match standing {
        KeyStanding::Active => "active",
        KeyStanding::Older => "older",
        KeyStanding::Staged => "staged",
    }
}

/// What a key is for and what depends on it, and whether it is as it should be.
pub(crate) fn sentence(key: &MasterKey, file: &str) -> (bool, String) {
    let MasterKey { id, standing, uses } = key;
    let clients = match uses.clients.len() {
        count @ ..=CLIENTS_NAMED_MAX if count > 0 => {
            let ids: Vec<_> = uses.clients.iter().map(ToString::to_string).collect();
            let noun = if count == 1 { "client" } else { "clients" };
            format!("{count} {noun} ({})", ids.join(", "))
        }
        count => format!("{count} clients"),
    };
    match standing {
        Some(KeyStanding::Active) => {
            let sealed = uses.sealed();
            (true, format!("Master key {id} is active, for {sealed} secrets and {clients}."))
        }
        Some(KeyStanding::Staged) => {
            (false, format!("Master key {id} is staged: 'gateway keys rotate master' makes it active."))
        }
        Some(KeyStanding::Older) if uses.is_none() => {
            (false, format!("Nothing depends on master key {id} any more: delete its line in {file}."))
        }
        Some(KeyStanding::Older) if uses.sealed() > 0 => {
            let sealed = uses.sealed();
            let hint = "run 'gateway keys rotate master --finish'";
            (false, format!("The older master key {id} is needed by {sealed} secrets and {clients}: {hint}."))
        }
        Some(KeyStanding::Older) => {
            let hint = "a secret moves when the client next shows it; rotate or disable those that stay away";
            (false, format!("The older master key {id} is needed by {clients}: {hint}."))
        }
        None => (false, format!("Master key {id} is not in {file}, and {} secrets need it.", uses.sealed())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_access::KeyUse;
    use uuid::Uuid;

    fn describes(standing: Option<KeyStanding>, uses: KeyUse) -> (bool, String) {
        sentence(&MasterKey { id: "0a1b2c3d".to_owned(), standing, uses }, "master.key")
    }

    #[test]
    fn a_key_says_what_depends_on_it_and_what_to_do() {
        let clients = |count: u128| (0..count).map(|n| ClientId(Uuid::from_u128(n))).collect();
        let sealed = KeyUse { provider_tokens: 1, signing_keys: 2, ..KeyUse::default() };
        let few = KeyUse { clients: clients(1), ..KeyUse::default() };
        let many = KeyUse { clients: clients(9), ..KeyUse::default() };
        for (standing, uses, good, part) in [
            (Some(KeyStanding::Active), sealed.clone(), true, "3 secrets and 0 clients"),
            (Some(KeyStanding::Older), KeyUse::default(), false, "delete its line in master.key"),
            (Some(KeyStanding::Older), sealed.clone(), false, "--finish"),
            (Some(KeyStanding::Older), few, false, "1 client (00000000-0000-0000-0000-000000000000)"),
            (Some(KeyStanding::Older), many, false, "needed by 9 clients:"),
            (Some(KeyStanding::Staged), KeyUse::default(), false, "rotate master"),
            (None, sealed, false, "is not in master.key"),
        ] {
            let (found, message) = describes(standing, uses);
            assert!(found == good && message.contains(part), "{message}");
            assert!(message.contains("0a1b2c3d"), "{message}");
        }
    }
}
