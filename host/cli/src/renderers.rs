//! `gateway renderer …`.

use crate::args::RendererCommand;
use crate::{CommandContext, Program};
use gateway_config::Config;
use gateway_registry::read_component;
use gateway_rendering::views::{ActivatedView, DisabledView, InstalledView, RendererList};
use gateway_rendering::{ListedRenderer, RendererActivation, renderer_id};
use gateway_terminal::{self as terminal, Column, Failure, Out, Text};
use std::path::Path;

/// Carries it out.
pub async fn run(
    command: RendererCommand,
    config: &Config,
    program: &Program,
    out: Out,
) -> Result<(), Failure> {
    let carry_out = async |context: &CommandContext| match command {
        RendererCommand::List => list(context, out).await,
        RendererCommand::Install { file, activate } => install(context, &file, activate, out).await,
        RendererCommand::Activate { renderer } => {
            let activated = context.rendering.versions().activate(&context.operator, &renderer).await?;
            out.data(&ActivatedView::from(&activated), || activation_sentence(&activated));
            Ok(())
        }
        RendererCommand::Disable => {
            let disabled = context.rendering.versions().disable(&context.operator).await?;
            let view = DisabledView { disabled };
            out.data(&view, || {
                format!("{} is out of force; every process follows within two seconds.", view.disabled)
            });
            Ok(())
        }
        RendererCommand::Rollback => {
            let activated = context.rendering.versions().roll_back(&context.operator).await?;
            out.data(&ActivatedView::from(&activated), || activation_sentence(&activated));
            Ok(())
        }
    };
    program.run::<(), Failure>(config, carry_out).await
}

async fn list(context: &CommandContext, out: Out) -> Result<(), Failure> {
    let listed = context.rendering.versions().list().await?;
    out.data(&RendererList::from(listed.as_slice()), || table(&listed));
    Ok(())
}

fn table(listed: &[ListedRenderer]) -> Text {
    let columns = [
        Column::value("RENDERER"),
        Column::value("STATE"),
        Column::value("SIGNED"),
        Column::value("INSTALLED"),
        Column::remark("SHA256"),
    ];
    let rows = listed.iter().map(|listed| {
        vec![
            renderer_id(&listed.name, &listed.version),
            listed.state.as_str().to_owned(),
            if listed.signature.is_some() { "yes" } else { "no" }.to_owned(),
            listed.installed_at.strftime("%Y-%m-%d %H:%M").to_string(),
            listed.digest.chars().take(12).collect(),
        ]
    });
    terminal::listing(columns, rows)
}

async fn install(context: &CommandContext, file: &Path, activate: bool, out: Out) -> Result<(), Failure> {
    let component = read_component(file).await.map_err(Failure::refused)?;
    let signed = component.signature.is_some();
    let (versions, actor) = (context.rendering.versions(), &context.operator);
    let installed = versions.install(actor, &file.display().to_string(), component).await?;
    let id = renderer_id(&installed.name, &installed.version);
    let activated = if activate { Some(versions.activate(actor, &installed.digest).await?) } else { None };
    let text = match (&activated, installed.known) {
        (Some(activated), _) => activation_sentence(activated),
        (None, true) => format!("{id} is installed already."),
        (None, false) => format!("Installed {id}: next, 'gateway renderer activate {id}'."),
    };
    out.data(&InstalledView::new(&installed, activated.as_ref()), || text);
    if !signed && !context.plugins.runtime().asks_for_signatures() {
        terminal::note(&format!("note: {id} is not signed, and plugins.trusted_keys asks for no signature"));
    }
    Ok(())
}

fn activation_sentence(activated: &RendererActivation) -> String {
    let id = renderer_id(&activated.name, &activated.version);
    match &activated.replaced {
        Some(replaced) if *replaced == id => format!("{id} was in force before: nothing changed."),
        Some(replaced) => {
            format!("{id} is in force instead of {replaced}; every process follows within two seconds.")
        }
        None => format!("{id} is in force; every process follows within two seconds."),
    }
}
