//! The bill of materials: which components the files are made of, as CycloneDX 1.6 in JSON.
//!
//! Written here, from what cargo tells, because it is a page of types: cargo-cyclonedx would be another 120 crates to compile
//! before a release, takes the features of the whole workspace, and knows nothing of the plugins.

use anyhow::Result;
use cargo_metadata::Package;
use serde::Serialize;

use super::crates::Crate;

/// What is shipped, as a whole.
pub(super) struct Product<'p> {
    pub(super) package: &'p Package,
    /// When its sources were committed, as RFC 3339 has it.
    pub(super) time: &'p str,
    /// The version of the compiler.
    pub(super) compiler: &'p str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Bom {
    #[serde(rename = "bomFormat")]
    format: &'static str,
    spec_version: &'static str,
    version: u32,
    metadata: BomMetadata,
    components: Vec<Component>,
    dependencies: Vec<Dependency>,
}

#[derive(Serialize)]
struct BomMetadata {
    timestamp: String,
    component: Component,
}

#[derive(Serialize)]
struct Component {
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(rename = "bom-ref")]
    reference: String,
    name: String,
    version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    scope: Scope,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hashes: Vec<Hash>,
    licenses: Vec<Licence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    purl: Option<String>,
    #[serde(rename = "externalReferences", skip_serializing_if = "Vec::is_empty")]
    references: Vec<Reference>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Application,
    Library,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Scope {
    Required,
    /// It runs while the files are built, and is in none of them.
    Excluded,
}

#[derive(Serialize)]
struct Hash {
    alg: &'static str,
    content: String,
}

#[derive(Serialize)]
struct Licence {
    expression: String,
}

#[derive(Serialize)]
struct Reference {
    #[serde(rename = "type")]
    kind: &'static str,
    url: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Dependency {
    #[serde(rename = "ref")]
    reference: String,
    depends_on: Vec<String>,
}

/// The whole file; the same for the same sources.
pub(super) fn bom(product: &Product<'_>, crates: &[Crate<'_>]) -> Result<String> {
    let is_product = |one: &&Crate<'_>| one.package.id == product.package.id;
    let own = crates.iter().find(is_product).map(component);
    let mut components: Vec<_> = crates.iter().filter(|one| !is_product(one)).map(component).collect();
    components.push(standard_library(product.compiler));
    let dependencies = crates.iter().map(|one| Dependency {
        reference: reference(one.package),
        depends_on: one.uses.iter().map(|used| reference(used)).collect(),
    });
    let bom = Bom {
        format: "CycloneDX",
        spec_version: "1.6",
        version: 1,
        metadata: BomMetadata {
            timestamp: product.time.to_owned(),
            component: Component {
                kind: Kind::Application,
                ..own.ok_or_else(|| anyhow::anyhow!("{} is not built", product.package.name))?
            },
        },
        components,
        dependencies: dependencies.collect(),
    };
    Ok(serde_json::to_string_pretty(&bom)? + "\n")
}

fn component(one: &Crate<'_>) -> Component {
    let package = one.package;
    let hash = |content: &String| Hash { alg: "SHA-256", content: content.clone() };
    let repository = package.repository.iter().filter(|url| url.contains("://"));
    Component {
        kind: Kind::Library,
        reference: reference(package),
        name: package.name.to_string(),
        version: package.version.to_string(),
        description: package.description.as_deref().map(|text| text.trim().to_owned()),
        scope: if one.linked { Scope::Required } else { Scope::Excluded },
        hashes: one.checksum.iter().map(hash).collect(),
        licenses: vec![Licence { expression: one.licence() }],
        purl: one.is_foreign().then(|| purl(package)),
        references: repository.map(|url| Reference { kind: "vcs", url: url.trim().to_owned() }).collect(),
    }
}

/// It is no crate that cargo resolves, and yet in every file.
fn standard_library(compiler: &str) -> Component {
    Component {
        kind: Kind::Library,
        reference: format!("rust-std@{compiler}"),
        name: "rust-std".to_owned(),
        version: compiler.to_owned(),
        description: Some("The standard library of the compiler".to_owned()),
        scope: Scope::Required,
        hashes: Vec::new(),
        licenses: vec![Licence { expression: "MIT OR Apache-2.0".to_owned() }],
        purl: None,
        references: Vec::new(),
    }
}

fn reference(package: &Package) -> String {
    if package.source.is_some() { purl(package) } else { format!("{}@{}", package.name, package.version) }
}

/// A plus in a version is escaped, as everywhere in a URL.
fn purl(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version.to_string().replace('+', "%2B"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::crates::{self, Build};
    use crate::workspace;

    #[test]
    fn a_crate_stands_there_with_its_licence_checksum_and_what_it_uses() {
        let graph = workspace::graph().unwrap();
        let lock = std::fs::read_to_string(workspace::root().join("Cargo.lock")).unwrap();
        let build = Build { packages: vec!["xtask".to_owned()], target: crates::host().unwrap() };
        let crates = crates::of(&graph, &lock, &[build]).unwrap();
        let package = crates.iter().find(|one| one.package.name == "xtask").unwrap().package;
        let product = Product { package, time: "2026-11-27T00:00:00Z", compiler: "1.95.0" };
        let bom: serde_json::Value = serde_json::from_str(&bom(&product, &crates).unwrap()).unwrap();
        assert_eq!(bom["metadata"]["component"]["type"], "application");
        let components = bom["components"].as_array().unwrap();
        let find = |name: &str| components.iter().find(|one| one["name"] == name).unwrap();
        let anyhow = find("anyhow");
        assert_eq!(anyhow["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(anyhow["hashes"][0]["content"].as_str().map(str::len), Some(64));
        assert_eq!(
            (&anyhow["scope"], &find("serde_derive")["scope"]),
            (&"required".into(), &"excluded".into())
        );
        let edges = bom["dependencies"].as_array().unwrap();
        let own = edges.iter().find(|edge| edge["ref"] == "xtask@0.1.0").unwrap();
        assert!(own["dependsOn"].as_array().unwrap().contains(&anyhow["bom-ref"]));
    }
}
