//! A surface: operations that are derived from their handlers, with what all of them have in common.

use super::assemble::{Part, Tag};
use super::{Listener, refusals, schemas};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::header::Header;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::security::{SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Components, OpenApi, Ref, RefOr};
use utoipa::{ToResponse, ToSchema};

/// The media type whose examples are composed of those of the members.
const JSON: &str = "application/json";

/// Operations of one router, and what they have in common.
#[derive(Debug, Clone)]
pub struct Surface {
    pub(super) listeners: Vec<Listener>,
    tag: Tag,
    security: Vec<SecurityRequirement>,
    permission: Option<String>,
    deprecated: bool,
    responses: BTreeMap<String, Value>,
    headers: Map<String, Value>,
    operations: OpenApi,
    notifications: Option<(Tag, Map<String, Value>)>,
}

impl Surface {
    /// What a listener has under a heading; nobody has to authenticate unless it is said.
    pub fn new(listener: Listener, tag: &str, description: &str, operations: OpenApi) -> Self {
        Self {
            listeners: vec![listener],
            tag: Tag { name: tag.to_owned(), description: description.to_owned() },
            security: Vec::new(),
            permission: None,
            deprecated: false,
            responses: BTreeMap::new(),
            headers: Map::new(),
            operations,
            notifications: None,
        }
    }

    /// On the other listener too.
    #[must_use]
    pub fn also_on(mut self, listener: Listener) -> Self {
        self.listeners.push(listener);
        self
    }

    /// Behind an access token of a client that has the permission.
    #[must_use]
    pub fn behind_a_token(mut self, permission: Option<&str>) -> Self {
        self.permission = permission.map(str::to_owned);
        let none: [&str; 0] = [];
        self.security(["oauth2", "bearer"].map(|scheme| SecurityRequirement::new(scheme, none)))
    }

    /// The ways in which a caller may authenticate.
    #[must_use]
    pub fn security(mut self, alternatives: impl IntoIterator<Item = SecurityRequirement>) -> Self {
        self.security.extend(alternatives);
        self
    }

    /// The permission that an operation needs unless it names another.
    #[must_use]
    pub fn permission(mut self, permission: &str) -> Self {
        self.permission = Some(permission.to_owned());
        self
    }

    /// A way to authenticate that only this surface has.
    #[must_use]
    pub fn scheme(mut self, name: &str, scheme: SecurityScheme) -> Self {
        self.components().security_schemes.insert(name.to_owned(), RefOr::T(scheme));
        self
    }

    /// Every operation is superseded, unless it says otherwise.
    #[must_use]
    pub fn deprecated(mut self) -> Self {
        self.deprecated = true;
        self
    }

    /// An answer that every operation has, unless it has one of its own under this status.
    #[must_use]
    pub fn answers<'r, R: ToResponse<'r>>(mut self, status: u16) -> Self {
        let (name, _) = R::response();
        self.responses.insert(status.to_string(), schemas::to_json(&Ref::from_response_name(name)));
        self.refusal::<R>()
    }

    /// A refusal of this surface, to which its operations refer by type.
    #[must_use]
    pub fn refusal<'r, R: ToResponse<'r>>(mut self) -> Self {
        let (name, response) = R::response();
        self.components().responses.insert(name.to_owned(), response);
        self
    }

    /// A schema to which only refusals or code refer.
    #[must_use]
    pub fn schema<S: ToSchema>(mut self) -> Self {
        let mut found = vec![(S::name().into_owned(), S::schema())];
        S::schemas(&mut found);
        self.components().schemas.extend(found);
        self
    }

    /// What may be wrong with any request: a fault of the gateway, and a database that is away.
    #[must_use]
    pub fn fails(self) -> Self {
        self.answers::<refusals::InternalError>(500).answers::<refusals::Unavailable>(503)
    }

    /// A header that every answer has; one whose schema allows null is sometimes absent.
    #[must_use]
    pub fn header(mut self, name: &str, header: &Header) -> Self {
        let mut header = schemas::object(header);
        schemas::require_header(&mut header);
        self.headers.insert(name.to_owned(), Value::Object(header));
        self
    }

    /// Changes every operation in code, where a handler cannot say it; its path is given.
    #[must_use]
    pub fn each(mut self, mut change: impl FnMut(&str, &mut Operation)) -> Self {
        for (path, item) in &mut self.operations.paths.paths {
            let methods = [&mut item.get, &mut item.put, &mut item.post, &mut item.patch, &mut item.delete];
            methods.into_iter().flatten().for_each(|operation| change(path, operation));
        }
        self
    }

    /// A named example of a body, in place of the one that is composed of its members.
    #[must_use]
    pub fn body(self, operation_id: &str, name: &str, example: &impl Serialize) -> Self {
        let value = schemas::to_json(example);
        self.each(|_, operation| {
            if operation.operation_id.as_deref() != Some(operation_id) {
                return;
            }
            if let Some(RefOr::T(body)) = &mut operation.request_body
                && let Some(content) = body.content.get_mut(JSON)
            {
                let example = ExampleBuilder::new().value(Some(value.clone())).build();
                if let RefOr::T(content) = content {
                    content.examples.insert(name.to_owned(), RefOr::T(example));
                }
            }
        })
    }

    /// What is told to others at addresses of theirs, under a heading of its own: operations by the name of their event,
    /// and their schemas.
    #[must_use]
    pub fn notifies(mut self, tag: &str, description: &str, notifications: OpenApi) -> Self {
        let tag = Tag { name: tag.to_owned(), description: description.to_owned() };
        self.notifications = Some((tag, schemas::object(&notifications.paths.paths)));
        let more = notifications.components.unwrap_or_default();
        self.components().schemas.extend(more.schemas);
        self
    }

    /// An example of a schema as a whole, in place of the one that is composed of its members.
    #[must_use]
    pub fn example<S: ToSchema>(mut self, example: &impl Serialize) -> Self {
        if let Some(RefOr::T(Schema::Object(schema))) = self.components().schemas.get_mut(S::name().as_ref())
        {
            schema.examples = vec![schemas::to_json(example)];
        }
        self
    }

    fn components(&mut self) -> &mut Components {
        self.operations.components.get_or_insert_default()
    }

    /// As the assembler reads it.
    pub(super) fn part(&self) -> Part {
        let mut known = self.operations.components.clone().unwrap_or_default();
        refusals::register(&mut known);
        let mut components = schemas::object(&known);
        let mut paths = schemas::object(&self.operations.paths.paths);
        let mut notifications = self.notifications.clone();
        let webhooks = notifications.iter_mut().map(|(_, webhooks)| webhooks);
        let mut operations: Vec<_> = std::iter::once(&mut paths).chain(webhooks).collect();
        schemas::complete(&mut components, &mut operations);
        Part {
            listeners: self.listeners.clone(),
            tag: self.tag.clone(),
            security: schemas::to_json(&self.security),
            permission: self.permission.clone(),
            deprecated: self.deprecated,
            responses: self.responses.clone(),
            headers: self.headers.clone(),
            paths,
            notifications,
            components,
        }
    }
}
