//! `gateway invoice annotate …`: what people keep beside documents.

use super::{no_document, pdf, resolve};
use crate::CommandContext;
use crate::args::{AnnotateArgs, AnnotationCommand, AttachArgs, AttachmentArgs, DocumentName};
use gateway_annotations::AnnotateError;
use gateway_domain::access::Acting;
use gateway_domain::ids::{AttachmentId, InvoiceId};
use gateway_domain_annotations::{
    AnnotationForm, Annotations, AnnotationsBody, AttachmentBody, AttachmentForm,
};
use gateway_domain_input::{sentence, unreadable};
use gateway_terminal::{self as terminal, Column, Failure, Out, Text};
use std::path::Path;

/// What became of a file.
#[derive(serde::Serialize)]
struct DetachedView {
    removed: AttachmentId,
}

/// Carries it out.
pub(super) async fn execute(
    context: &CommandContext,
    operator: &Acting,
    command: AnnotationCommand,
    out: Out,
) -> Result<(), Failure> {
    match command {
        AnnotationCommand::Annotations { document } => show(context, operator, document, out).await,
        AnnotationCommand::Annotate(args) => annotate(context, operator, args, out).await,
        AnnotationCommand::Attach(args) => attach(context, operator, args, out).await,
        AnnotationCommand::Attachment(args) => write(context, operator, args, out).await,
        AnnotationCommand::Detach { document, attachment } => {
            detach(context, operator, (document, attachment), out).await
        }
    }
}

async fn show(
    context: &CommandContext,
    operator: &Acting,
    document: DocumentName,
    out: Out,
) -> Result<(), Failure> {
    let uuid = resolve(context, operator, document).await?;
    let kept = context.annotations.find(operator, uuid).await?.ok_or_else(|| no_document(uuid))?;
    out.data(&AnnotationsBody::from(&kept), || text(&kept));
    Ok(())
}

async fn annotate(
    context: &CommandContext,
    operator: &Acting,
    AnnotateArgs { document, note, tags, untags }: AnnotateArgs,
    out: Out,
) -> Result<(), Failure> {
    if note.is_none() && tags.is_empty() && untags.is_empty() {
        return Err(Failure::misuse("there is nothing to change: give --note, --tag or --untag"));
    }
    let uuid = resolve(context, operator, document).await?;
    let kept = context.annotations.find(operator, uuid).await?.ok_or_else(|| no_document(uuid))?;
    let version = kept.version();
    let before = kept.annotation.map(|annotation| annotation.text).unwrap_or_default();
    let mut form = AnnotationForm { note: note.or(before.note), tags: before.tags };
    form.tags.retain(|tag| !untags.contains(tag));
    for tag in tags {
        if !form.tags.contains(&tag) {
            form.tags.push(tag);
        }
    }
    let changed = context.annotations.annotate(operator, uuid, form, Some(version)).await;
    let kept = changed.map_err(|error| refused(uuid, error))?;
    out.data(&AnnotationsBody::from(&kept), || text(&kept));
    Ok(())
}

async fn attach(
    context: &CommandContext,
    operator: &Acting,
    AttachArgs { document, file, name, media_type }: AttachArgs,
    out: Out,
) -> Result<(), Failure> {
    let bytes = tokio::fs::read(&file).await.map_err(|error| {
        Failure::misuse(format!("{} cannot be read ({})", file.display(), unreadable(&error)))
    })?;
    let own_name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.unwrap_or(own_name);
    let uuid = resolve(context, operator, document).await?;
    let form = AttachmentForm { name: &name, media_type: &media_type, content: &bytes };
    let id = AttachmentId(context.ids.next());
    let attached = context.annotations.attach(operator, uuid, id, form).await;
    let attachment = attached.map_err(|error| refused(uuid, error))?.attachment;
    out.data(&AttachmentBody::from(&attachment), || {
        format!("{} is kept beside the document as {}", attachment.name, attachment.id)
    });
    Ok(())
}

async fn write(
    context: &CommandContext,
    operator: &Acting,
    AttachmentArgs { document, attachment, output }: AttachmentArgs,
    out: Out,
) -> Result<(), Failure> {
    let uuid = resolve(context, operator, document).await?;
    let found = context.annotations.file(operator, uuid, attachment).await;
    let found = found.map_err(|error| refused(uuid, error))?;
    // What is called by whoever sent it stays in the folder in which the command runs.
    let own_name = Path::new(&found.attachment.name).file_name().unwrap_or_default().to_string_lossy();
    pdf::write_file((&found.content, found.attachment.media_type.clone()), (output, &own_name), out).await
}

async fn detach(
    context: &CommandContext,
    operator: &Acting,
    (document, attachment): (DocumentName, AttachmentId),
    out: Out,
) -> Result<(), Failure> {
    let uuid = resolve(context, operator, document).await?;
    let detached = context.annotations.detach(operator, uuid, attachment).await;
    detached.map_err(|error| refused(uuid, error))?;
    out.data(&DetachedView { removed: attachment }, || format!("{attachment} is kept no longer"));
    Ok(())
}

fn text(kept: &Annotations) -> Text {
    let body = AnnotationsBody::from(kept);
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let note = body.note.unwrap_or_default().to_owned();
    let mut rows = vec![row("note", note), row("tags", body.tags.join(", "))];
    if let (Some(actor), Some(at)) = (body.actor, body.updated_at) {
        rows.push(row("changed", format!("{at:.0} by {}", actor.name())));
    }
    let mut parts = vec![terminal::table(&rows)];
    if kept.attachments.is_empty() {
        return Text::paragraphs(parts);
    }
    let attachments = kept.attachments.iter().map(|file| {
        vec![
            file.id.to_string(),
            file.name.clone(),
            file.media_type.clone(),
            file.size.to_string(),
            format!("{:.0}", file.created_at),
        ]
    });
    let columns = [
        Column::value("ATTACHMENT"),
        Column::text("NAME"),
        Column::value("TYPE"),
        Column::number("BYTES"),
        Column::value("TIME"),
    ];
    parts.push(terminal::listing(columns, attachments));
    Text::paragraphs(parts)
}

fn refused(uuid: InvoiceId, error: AnnotateError) -> Failure {
    match error {
        AnnotateError::Gone => no_document(uuid),
        AnnotateError::Invalid(mistakes) => Failure::refused(sentence(&mistakes)),
        AnnotateError::Store(error) => error.into(),
        error @ (AnnotateError::NoAttachment
        | AnnotateError::Stale { .. }
        | AnnotateError::IdTaken
        | AnnotateError::TooMany) => Failure::refused(error.to_string()),
    }
}
