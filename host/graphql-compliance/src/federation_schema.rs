//! The schema as a document: complete, so that tools without knowledge of federation read it, and a subgraph of Apollo
//! Federation 2, so that supergraphs are composed of it (subgraph specification, "subgraph schemas"). What async-graphql
//! exports imports every directive of federation, defines none of them, and defines those of the language again.

use async_graphql::{ObjectType, SDLExportOptions, Schema, SubscriptionType};

/// What federation's own directives are; a subgraph may define them, and then every other tool knows them.
const DIRECTIVES: &str = r#"
"""Names the definitions that this document uses."""
directive @link(url: String!, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA

"""By these fields a supergraph finds the same thing in several subgraphs."""
directive @key(fields: federation__FieldSet!, resolvable: Boolean = true) repeatable on OBJECT | INTERFACE

"""Other subgraphs may have this too."""
directive @shareable repeatable on OBJECT | FIELD_DEFINITION

"""A selection of fields."""
scalar federation__FieldSet

"""What is imported by a link."""
scalar link__Import

"""What a link is for."""
enum link__Purpose {
  """It restricts who may read what."""
  SECURITY
  """It is needed to run a query."""
  EXECUTION
}
"#;

/// Directives that every tool knows; defining them again is a mistake to some.
const STANDARD: [&str; 5] = [
    "directive @include",
    "directive @skip",
    "directive @deprecated",
    "directive @specifiedBy",
    "directive @oneOf",
];

pub fn subgraph_sdl<Q, M, S>(schema: &Schema<Q, M, S>) -> String
where
    Q: ObjectType + 'static,
    M: ObjectType + 'static,
    S: SubscriptionType + 'static,
{
    let options = SDLExportOptions::new().federation().include_specified_by().use_space_ident();
    let exported = schema.sdl_with_options(options);
    let mut text = String::new();
    let mut imports = false;
    for line in exported.lines() {
        let line = line.trim_end();
        if STANDARD.iter().any(|standard| line.starts_with(standard)) {
            remove_trailing_description(&mut text);
            continue;
        }
        imports = imports || line.starts_with("extend schema @link(");
        let line = if imports && line.trim_start().starts_with("import:") {
            "  import: [\"@key\", \"@shareable\"]"
        } else {
            line
        };
        // One empty line at most between definitions.
        if !(line.is_empty() && (text.is_empty() || text.ends_with("\n\n"))) {
            text.push_str(line);
            text.push('\n');
        }
    }
    format!("{}\n{DIRECTIVES}", text.trim_end())
}

/// Takes away the description that a text ends with.
fn remove_trailing_description(text: &mut String) {
    let quotes = "\"\"\"";
    let kept = text.trim_end();
    let begin = kept.strip_suffix(quotes).and_then(|above| above.rfind(quotes));
    if let Some(begin) = begin {
        text.truncate(begin);
    }
}
