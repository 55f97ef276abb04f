//! What a kind of line has to say about itself, so that all kinds are stored the same way.

use super::batch_events::BatchEvents;
use gateway_domain::StoreError;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::{Faults, read};
use gateway_storage::Tx;
use gateway_storage::references::ReferenceTarget;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;
use uuid::Uuid;

/// What a line refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    /// The member that says it, with its place in a list.
    pub(super) field: String,
    pub(super) what: ReferenceTarget,
    pub(super) id: Uuid,
}

impl Reference {
    pub(super) fn new(field: impl Into<String>, what: ReferenceTarget, id: impl Into<Uuid>) -> Self {
        Self { field: field.into(), what, id: id.into() }
    }

    /// One for each element of a list.
    pub(super) fn list<I: Into<Uuid> + Copy>(field: &str, what: ReferenceTarget, ids: &[I]) -> Vec<Self> {
        let element = |(index, id): (usize, &I)| Self::new(format!("{field}[{index}]"), what, *id);
        ids.iter().enumerate().map(element).collect()
    }
}

/// A kind of line.
pub(super) trait Kind: Sized + Clone + PartialEq {
    /// As the member `kind` says it.
    const NAME: &'static str;
    /// Its members besides `kind`.
    const MEMBERS: &'static [&'static str];
    /// What else has to be looked at before one is stored.
    type Constraints: Default;

    /// By which a line finds what is stored already.
    fn id(&self) -> Uuid;

    /// The workspace it belongs to; what it refers to belongs to the same.
    fn workspace(&self) -> Option<WorkspaceId>;

    /// Every workspace it names, behind the member that names it.
    fn workspaces(&self) -> Vec<(String, WorkspaceId)> {
        self.workspace().map(|workspace| ("workspace_id".to_owned(), workspace)).into_iter().collect()
    }

    /// What it refers to.
    fn references(&self) -> Vec<Reference>;

    /// Reads a line.
    fn read(members: &Value) -> Result<Self, Vec<FieldError>>;

    /// Brings it into the form in which it is stored; until then lists are in the order of the line.
    fn tidy(&mut self) {}

    /// Members that the line does not name and that something else than an import changes stay as they are stored.
    fn keep(&mut self, _stored: &Self, _omitted: &dyn Fn(&str) -> bool) {}

    /// Those of `ids` that are stored.
    async fn find_stored(tx: &mut Tx, ids: &[Uuid]) -> Result<HashMap<Uuid, Self>, StoreError>;

    /// Tells of it, now that it is stored in place of what was there before.
    fn append_events(&self, _before: Option<&Self>, _events: &mut BatchEvents) {}

    /// Stores values, each once.
    async fn put(tx: &mut Tx, values: &[&Self], now: Timestamp) -> Result<(), StoreError>;

    /// Looks at what lines that will be stored have to fit in with.
    async fn constraints(_tx: &mut Tx, _lines: &[&Self]) -> Result<Self::Constraints, StoreError> {
        Ok(Self::Constraints::default())
    }

    /// Whether it fits in, in place of what was stored before; what it fits into may say how it is written.
    fn validate(&mut self, _before: Option<&Self>, _constraints: &Self::Constraints) -> Result<(), String> {
        Ok(())
    }

    /// What is odd about it all the same: it is told, and the line is stored.
    fn remark(&self, _before: Option<&Self>, _constraints: &Self::Constraints) -> Option<String> {
        None
    }

    /// It is stored now, in place of what was stored before.
    fn include_in(&self, _before: Option<&Self>, _constraints: &mut Self::Constraints) {}
}

/// A value of these members, or the members that are not; `line` is the line as a whole.
pub(super) fn members<T: DeserializeOwned>(members: &Value) -> Result<T, Vec<FieldError>> {
    let of_a_line = |fault: FieldError| match fault {
        FieldError { field, code: code @ ErrorCode::Required, .. } => {
            FieldError::new(field, code, "is required")
        }
        fault if fault.field == "base" => FieldError { field: "line".to_owned(), ..fault },
        fault => fault,
    };
    read(members).map_err(|faults| faults.into_iter().map(of_a_line).collect())
}

/// The value, unless something is wrong with it.
pub(super) fn sound<T>(value: T, check: impl FnOnce(&T, &mut Faults)) -> Result<T, Vec<FieldError>> {
    let mut faults = Faults::default();
    check(&value, &mut faults);
    faults.or(value)
}

/// Each once, in order.
pub(super) fn each_once<T: Ord>(list: &mut Vec<T>) {
    list.sort_unstable();
    list.dedup();
}

/// Ids of a type of their own.
pub(super) fn typed<I: From<Uuid>>(ids: &[Uuid]) -> Vec<I> {
    ids.iter().copied().map(I::from).collect()
}

/// What a look-up found, without types and times.
pub(super) fn untyped<I: Into<Uuid>, T>(
    found: HashMap<I, gateway_domain_lists::Stamped<T>>,
) -> HashMap<Uuid, T> {
    found.into_iter().map(|(id, stamped)| (id.into(), stamped.value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize)]
    struct Guests {
        #[expect(dead_code, reason = "only read")]
        adults: i32,
    }

    #[derive(Debug, Deserialize)]
    struct Line {
        #[expect(dead_code, reason = "only read")]
        guests: Guests,
        #[expect(dead_code, reason = "only read")]
        name: String,
    }

    fn fault(line: &Value) -> String {
        let faults = members::<Line>(line).unwrap_err();
        format!("{}: {}", faults[0].field, faults[0].message)
    }

    #[test]
    fn a_wrong_member_is_told_in_the_words_of_the_contract() {
        assert_eq!(fault(&json!({"guests": null, "name": "A"})), "guests: must be an object");
        assert_eq!(
            fault(&json!({"guests": {"adults": "2"}})),
            "guests.adults: must be a whole number from -2147483648 to 2147483647"
        );
        assert_eq!(fault(&json!({"guests": {}})), "guests.adults: is required");
        assert_eq!(fault(&json!({"guests": {"adults": 2}})), "name: is required");
        assert_eq!(fault(&json!({"guests": {"adults": 2}, "name": 1})), "name: must be a text");
    }
}
