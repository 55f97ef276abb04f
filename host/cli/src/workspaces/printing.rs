//! `gateway workspace printing …`.

use super::{ClearedConfigurationView, read_json};
use crate::CommandContext;
use crate::args::{PrintingArgs, PrintingCommand};
use gateway_domain::workspace::Printing;
use gateway_domain_input::unreadable;
use gateway_terminal::{self as terminal, Failure, Out};
use gateway_workspaces::views::PrintingAnswer;
use serde_json::Value;
use std::path::Path;

pub(super) async fn run(context: &CommandContext, command: PrintingCommand, out: Out) -> Result<(), Failure> {
    match command {
        PrintingCommand::Set(args) => set(context, args, out).await,
        PrintingCommand::Show { workspace } => {
            let printing = context.workspaces.printing(workspace).await?;
            out.data(&PrintingAnswer::new(workspace, &printing), || written(&printing));
            Ok(())
        }
        PrintingCommand::Clear { workspace } => {
            let cleared = context.workspaces.clear_printing(&context.operator, workspace).await?;
            out.data(&ClearedConfigurationView { workspace_id: workspace, cleared }, || {
                if cleared {
                    format!("Documents of workspace {workspace} look as the renderer makes them from now on.")
                } else {
                    format!("Workspace {workspace} had neither a logo nor a template.")
                }
            });
            Ok(())
        }
    }
}

async fn set(context: &CommandContext, args: PrintingArgs, out: Out) -> Result<(), Failure> {
    let PrintingArgs { workspace, logo, template, attach_record } = args;
    let printing = Printing {
        logo: logo.as_deref().map(read_logo).transpose()?,
        template: template.as_deref().map(read_template).transpose()?,
        attach_record,
    };
    let changed = context.workspaces.set_printing(&context.operator, workspace, &printing).await?;
    if printing.template.is_some() && !changed.is_template_checked {
        terminal::note(
            "note: no renderer is in force, so the template was not checked: install one with 'gateway renderer install FILE --activate'",
        );
    }
    out.data(&PrintingAnswer::new(workspace, &changed.printing), || {
        format!(
            "Documents of workspace {workspace} look like this from now on:\n{}",
            written(&changed.printing)
        )
    });
    Ok(())
}

fn written(printing: &Printing) -> String {
    let Printing { logo, template, attach_record } = printing;
    let none = || "none".to_owned();
    let logo = logo.as_ref().map_or_else(none, |logo| format!("PNG, {} KiB", logo.len().div_ceil(1024)));
    let template = template.clone().map_or_else(none, |own| Value::Object(own).to_string());
    let record = if *attach_record == Some(true) { "attached" } else { "not attached" };
    format!("logo      {logo}\ntemplate  {template}\nrecord    {record}")
}

fn read_logo(file: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(file).map_err(|error| {
        let (file, why) = (file.display(), unreadable(&error));
        Failure::refused(format!("{file} cannot be read ({why}): give a PNG that is there"))
    })
}

fn read_template(file: &Path) -> Result<serde_json::Map<String, Value>, Failure> {
    match read_json(file)? {
        Value::Object(template) => Ok(template),
        _ => Err(Failure::refused(format!("{} is no JSON object: give one, such as {{}}", file.display()))),
    }
}
