//! What integrators see of workspaces.

use gateway_domain::ids::WorkspaceId;

gateway_domain::words! {
    /// Whether a workspace is in use.
    WorkspaceStatus {
        /// It is.
        Active = "ACTIVE",
        /// It is not.
        Inactive = "INACTIVE",
    }
}

/// What integrators see of a workspace (`awc.workspace`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// What legacy clients send as `XX-SUBSCRIPTION-PORTAL-ID`.
    pub id: WorkspaceId,
    /// For people.
    pub name: String,
    /// For addresses: made from the name unless it was given.
    pub slug: String,
    /// Whether it is in use.
    pub status: WorkspaceStatus,
    /// Where its logo is.
    pub logo_url: Option<String>,
}

/// A name as it stands in addresses: lower-case letters and digits, hyphens between. Never empty.
pub fn slug(name: &str, id: WorkspaceId) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.map(str::to_lowercase).collect::<Vec<_>>().join("-");
    if slug.is_empty() { format!("workspace-{id}") } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_made_of_the_words_of_a_name() {
        assert_eq!(slug("Casa Azul, S.L.", WorkspaceId(1)), "casa-azul-s-l");
        assert_eq!(slug("—", WorkspaceId(7)), "workspace-7");
    }
}
