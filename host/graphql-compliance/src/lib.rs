//! What makes the GraphQL API comply with its specifications where async-graphql 7.2 does not. One file for each gap; when a
//! release of async-graphql closes one, its file goes. Sections are those of the specification of GraphQL of October
//! 2021, unless it says otherwise.
//!
//! | file | what the specification says | what async-graphql does |
//! |---|---|---|
//! | `variables` | 6.1.2: a required variable without a value is an error of the request; 5.8.5: a default of null does not make a variable required | finds the missing value when a resolver asks for it, after others have run; takes a default of null for a value |
//! | `input_values` | 3.5.1: integers have 32 bits; 3.9: a text is no enum value; 5.6: values are validated before execution | leaves the range to the resolvers, takes a text, looks at nothing of an argument when one of its variables has no value |
//! | `null_values` | 2.9.5, 3.10, 6.4.1: an argument or a member whose variable is not given is not given | takes it for null |
//! | `typename_conditions` | 5.8.4: a variable in a directive is used, also in one of `__typename` | does not look at these directives: the variable "is not used" |
//! | `field_merging` | 5.3.2, 6.3.2, 6.4.3: selections under one response key are one field, executed once | compares the fields of one selection set only, and executes each selection |
//! | `conditions` | 3.13.1, 3.13.2, 6.1.2: `@skip` and `@include` read variables with their defaults | reads them without |
//! | `empty_objects` | 6.4.3: an object of which every member is skipped is an empty object | answers null |
//! | [`validation`] | 5, 6.1: the document as sent is validated, and variables are those of the operation that runs | reckons the cost of every operation, and fails where a variable of another one has no value |
//! | [`data_entry`] | 7.1: no entry `data` when the document was not executed | answers `data: null` |
//! | [`failed_fields`] | 6.4.4: a field that failed is null in its object | leaves it out |
//! | [`member_order`] | 7.2.2: members stand in the order in which they were selected | puts them in the order in which they were resolved |
//! | [`entity_error_paths`] | 7.1.2: the path of an error leads to the item that failed | points at `_entities` as a whole |
//! | [`federation_descriptions`] | 3.2: descriptions are part of a schema | adds fields and types of federation without descriptions |
//! | [`federation_schema`] | Apollo Federation 2, subgraph specification: what a document imports by `@link` is defined in it, or known | imports directives that nobody uses, defines none of its own, and defines those again that every tool knows |
//!
//! `document`, `schema_types` and `input_faults` are what these share. [`suggestions`] closes no gap: from the same types it
//! says which name was probably meant. [`eager`] asks for members in the order of their selection, and
//! makes tasks only of those that wait.
//!
//! To add a gap: a file with the test that async-graphql fails, its row in the table, and its call: in [`check`] where it is about
//! the document before it runs, else in `Api::run` of `gateway-graphql`. The tests stand beside the files.
//!
//! Not here: the schema itself, which these files read
//! as text, and what is ours by policy: the codes of errors, how much a request may ask for, pages, loaders and
//! permissions (`gateway-graphql`, whose tests hold these files against our schema).

mod conditions;
pub mod data_entry;
mod document;
pub mod eager;
mod empty_objects;
pub mod entity_error_paths;
pub mod failed_fields;
pub mod federation_descriptions;
pub mod federation_schema;
mod field_merging;
mod input_faults;
mod input_values;
pub mod member_order;
mod null_values;
mod schema_types;
pub mod suggestions;
mod typename_conditions;
pub mod validation;
mod variables;

pub use field_merging::merge_fields;
pub use input_faults::InputFaults;
pub use input_values::EntityKeyCount;
pub use schema_types::{ScalarRule, SchemaTypes};

use async_graphql::Variables;
use async_graphql::parser::types::{ExecutableDocument, OperationType};
use document::find_operation;
use input_values::InputCheck;

/// Whether the operation that a request means is a mutation.
pub fn is_mutation(document: &ExecutableDocument, operation: Option<&str>) -> bool {
    find_operation(document, operation).is_some_and(|found| found.ty == OperationType::Mutation)
}

/// Checks the inputs of an operation whose document went through [`check`] before and was valid, with other texts in the same variables;
/// none when something is wrong with them.
pub fn check_again(
    types: &SchemaTypes,
    document: &ExecutableDocument,
    operation: Option<&str>,
    variables: &Variables,
) -> Option<EntityKeyCount> {
    let selected = find_operation(document, operation)?;
    InputCheck::of_everything(types, document, selected, variables).finish().ok()
}

/// Checks the inputs of an operation, and takes variables that are not given out of the document.
pub fn check(
    types: &SchemaTypes,
    document: &mut ExecutableDocument,
    operation: Option<&str>,
    variables: &Variables,
) -> Result<EntityKeyCount, InputFaults> {
    typename_conditions::wrap_in_fragments(document);
    // Which operation is meant, and whether there is one, is for the framework to say.
    let Some(selected) = find_operation(document, operation) else { return Ok(EntityKeyCount::default()) };
    let mut check = InputCheck::of_everything(types, document, selected, variables);
    for fault in field_merging::conflicts(types, document, selected) {
        check.fault(&fault.field, fault.mistake, fault.pos);
    }
    let count = check.finish()?;
    let unset = null_values::unset_variables(selected, variables);
    null_values::remove_unset(document, operation, &unset);
    Ok(count)
}
