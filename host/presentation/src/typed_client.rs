//! A client as its form shows it, and as it was typed there.

use crate::fields::Fields;
use gateway_domain::access::{Client, Permission, Workspaces};

/// A permission in a form.
#[derive(Debug)]
pub struct PermissionBox {
    pub name: &'static str,
    pub is_ticked: bool,
}

fn boxes(held: &[Permission]) -> Vec<PermissionBox> {
    let each = |permission: &Permission| PermissionBox {
        name: permission.as_str(),
        is_ticked: held.contains(permission),
    };
    Permission::ALL.iter().map(each).collect()
}

/// What a client may see, as its form takes it.
pub fn workspaces_as_typed(workspaces: &Workspaces) -> String {
    match workspaces {
        Workspaces::All => "*".to_owned(),
        Workspaces::Only(list) => list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// A client as its form shows it.
#[derive(Debug)]
pub struct TypedClient {
    pub name: String,
    pub workspaces: String,
    pub boxes: Vec<PermissionBox>,
}

impl From<&Client> for TypedClient {
    fn from(client: &Client) -> Self {
        let (name, workspaces) = (client.name.clone(), workspaces_as_typed(&client.workspaces));
        Self { name, workspaces, boxes: boxes(&client.permissions) }
    }
}

impl From<&Fields> for TypedClient {
    fn from(fields: &Fields) -> Self {
        let ticked: Vec<Permission> = fields.all("permission").filter_map(|name| name.parse().ok()).collect();
        let text = |name| fields.text(name).to_owned();
        Self { name: text("name"), workspaces: text("workspaces"), boxes: boxes(&ticked) }
    }
}
