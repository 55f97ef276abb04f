//! How the documents of a workspace look: its logo, and its own settings of the renderer.

use super::settings::{Owner, against};
use super::{WorkspaceError, Workspaces, logo};
use gateway_access::NoDetails;
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::workspace::Printing;
use gateway_domain::{ErrorCode, FieldError, StoreCauseKind};
use gateway_storage::{printing as store, workspaces};
use serde::Serialize;
use serde_json::{Map, Value};

/// Bytes of a template as JSON: what renderers take.
const TEMPLATE_BYTES_MAX: usize = 16 << 10;

/// What was set of how documents look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPrinting {
    /// As it is now.
    pub printing: Printing,
    /// Whether a renderer said what a template may say.
    pub is_template_checked: bool,
}

/// What the audit trail tells of a change: the logo by its size.
#[derive(Serialize)]
struct PrintingSetData<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    logo_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    template: Option<&'a Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attach_record: Option<bool>,
}

/// How documents look.
impl Workspaces {
    /// How the documents of a workspace look.
    pub async fn printing(&self, workspace: WorkspaceId) -> Result<Printing, WorkspaceError> {
        if workspaces::find(self.db(), workspace).await?.is_none() {
            return Err(WorkspaceError::Unknown(workspace));
        }
        Ok(store::find(self.db(), workspace).await?)
    }

    /// Sets the logo, the template or both; what is not given stays. Documents are made anew with it at once.
    pub async fn set_printing(
        &self,
        actor: &Actor,
        workspace: WorkspaceId,
        given: &Printing,
    ) -> Result<ChangedPrinting, WorkspaceError> {
        let schema = match (&given.template, &self.templates) {
            (Some(_), Some(templates)) => templates.template_schema().await,
            _ => None,
        };
        let mistakes = mistakes(given, schema.as_ref());
        if !mistakes.is_empty() {
            return Err(WorkspaceError::Invalid(mistakes));
        }
        let mut tx = self.db().begin().await?;
        store::put(&mut tx, workspace, given, self.now()).await.map_err(|error| match error {
            error if error.kind() == Some(StoreCauseKind::MissingReference) => {
                WorkspaceError::Unknown(workspace)
            }
            error => error.into(),
        })?;
        let printing = store::find(&mut tx, workspace).await?;
        let data = PrintingSetData {
            logo_bytes: given.logo.as_ref().map(Vec::len),
            template: given.template.as_ref(),
            attach_record: given.attach_record,
        };
        self.record(&mut tx, actor, "workspace.printing.set", workspace, &data).await?;
        tx.commit_at("printing-set").await?;
        tracing::info!(workspace.id = %workspace, "Changed how documents of workspace {workspace} look");
        Ok(ChangedPrinting { printing, is_template_checked: schema.is_some() })
    }

    /// Takes the logo away; what else is set stays. `false` when there was none.
    pub async fn clear_logo(&self, actor: &Actor, workspace: WorkspaceId) -> Result<bool, WorkspaceError> {
        let mut tx = self.db().begin().await?;
        if workspaces::find(&mut tx, workspace).await?.is_none() {
            return Err(WorkspaceError::Unknown(workspace));
        }
        let cleared = store::clear_logo(&mut tx, workspace, self.now()).await?;
        if cleared {
            self.record(&mut tx, actor, "workspace.printing.clear_logo", workspace, &NoDetails {}).await?;
        }
        tx.commit_at("printing-logo-cleared").await?;
        Ok(cleared)
    }

    /// Takes logo and template away. `false` when there was neither.
    pub async fn clear_printing(
        &self,
        actor: &Actor,
        workspace: WorkspaceId,
    ) -> Result<bool, WorkspaceError> {
        let mut tx = self.db().begin().await?;
        if workspaces::find(&mut tx, workspace).await?.is_none() {
            return Err(WorkspaceError::Unknown(workspace));
        }
        let cleared = store::clear(&mut tx, workspace).await?;
        if cleared {
            self.record(&mut tx, actor, "workspace.printing.clear", workspace, &NoDetails {}).await?;
        }
        tx.commit_at("printing-cleared").await?;
        Ok(cleared)
    }
}

fn mistakes(given: &Printing, schema: Option<&Value>) -> Vec<FieldError> {
    if *given == Printing::default() {
        let message = "there is nothing to set: give a logo, a template, or whether the record is attached";
        return vec![FieldError::new("logo", ErrorCode::Required, message)];
    }
    let mut mistakes = Vec::new();
    if let Some(why) = given.logo.as_deref().and_then(logo::mistake) {
        mistakes.push(FieldError::new("logo", ErrorCode::LogoInvalid, why));
    }
    if let Some(template) = &given.template {
        let template = Value::Object(template.clone());
        if template.to_string().len() > TEMPLATE_BYTES_MAX {
            let message = format!("the template has more than {TEMPLATE_BYTES_MAX} bytes: shorten it");
            mistakes.push(FieldError::new("template", ErrorCode::TemplateInvalid, message));
        } else if let Some(schema) = schema {
            mistakes.extend(against(Owner::Renderer, schema, &template));
        }
    }
    mistakes
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn template(value: &Value) -> Printing {
        Printing { template: value.as_object().cloned(), ..Printing::default() }
    }

    #[test]
    fn a_template_is_held_against_the_schema_of_the_renderer_where_there_is_one() {
        let schema = json!({
            "type": "object", "additionalProperties": false,
            "properties": {"footer": {"type": "string", "maxLength": 3}},
        });
        assert_eq!(mistakes(&template(&json!({"footer": "abc"})), Some(&schema)), []);
        assert_eq!(mistakes(&template(&json!({"anything": 1})), None), []);
        let found = mistakes(&template(&json!({"footer": "abcd", "colour": 1})), Some(&schema));
        let found: Vec<_> =
            found.iter().map(|one| (one.field.as_str(), one.code, one.message.as_str())).collect();
        assert!(
            found.contains(&("template.footer", ErrorCode::TemplateInvalid, "use at most 3 characters")),
            "{found:?}"
        );
        let leave_out = "colour is no setting of this renderer: leave it out";
        assert!(found.contains(&("template", ErrorCode::TemplateInvalid, leave_out)), "{found:?}");
    }

    #[test]
    fn nothing_and_a_template_of_many_bytes_are_refused() {
        assert_eq!(mistakes(&Printing::default(), None).len(), 1);
        let large = template(&json!({"footer": "x".repeat(TEMPLATE_BYTES_MAX)}));
        assert_eq!(mistakes(&large, None)[0].field, "template");
    }
}
