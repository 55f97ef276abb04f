//! A line as one of the kinds there are.

use super::Imported;
use super::issued_document;
use super::kind::Kind;
use super::workspace::WorkspaceLine;
use gateway_domain_input::document::IssuedDocumentForm;
use gateway_domain_input::{duplicate_key, sentence};
use gateway_domain_platform::bookings::Booking;
use gateway_domain_platform::catalog::{Product, ProductGroup};
use gateway_domain_platform::conversations::{Conversation, Message};
use gateway_domain_platform::identity::{Team, User};
use gateway_domain_platform::pricing::{RatePlan, Tariff};
use gateway_domain_platform::spaces::{Amenity, Building, Unit, UnitType};
use gateway_domain_platform::tasks::Task;
use serde_json::{Map, Value};

/// Members of its kind that a line does not name.
pub(super) type OmittedMembers = Vec<&'static str>;

/// A line that was read.
#[derive(Debug, Clone)]
pub(super) struct Parsed {
    /// From 1.
    pub(super) line: u64,
    pub(super) record: Record,
    pub(super) omitted: OmittedMembers,
}

macro_rules! records {
    ($($name:ident($type:ty),)*) => {
        /// What a line says.
        #[derive(Debug, Clone)]
        pub(super) enum Record {
            /// A tenant, stored in a way of its own.
            Workspace(Box<WorkspaceLine>),
            /// A document that another system issued, stored in a way of its own.
            IssuedDocument(Box<IssuedDocumentForm>),
            $(
                #[doc = concat!("A line of the kind that `", stringify!($type), "` names.")]
                $name(Box<$type>),
            )*
        }

        /// The kinds, each after those that it may refer to.
        const KINDS: &[&str] = &[WorkspaceLine::NAME, $(<$type as Kind>::NAME,)* issued_document::NAME];

        impl Record {
            /// As the member `kind` of the line says it.
            pub(super) const fn kind(&self) -> &'static str {
                match self {
                    Self::Workspace(_) => WorkspaceLine::NAME,
                    Self::IssuedDocument(_) => issued_document::NAME,
                    $(Self::$name(_) => <$type as Kind>::NAME,)*
                }
            }

            fn of(kind: &str, members: Map<String, Value>, imported: &mut Imported) -> Result<(Self, OmittedMembers), String> {
                match kind {
                    WorkspaceLine::NAME => {
                        let omitted = omitted_members(WorkspaceLine::NAME, WorkspaceLine::MEMBERS, &members, imported);
                        let read = WorkspaceLine::read(&Value::Object(members));
                        count_refusal(WorkspaceLine::NAME, read.map(|line| (Self::Workspace(Box::new(line)), omitted)), imported)
                    }
                    issued_document::NAME => {
                        let (name, known) = (issued_document::NAME, IssuedDocumentForm::MEMBERS);
                        let omitted = omitted_members(name, known, &members, imported);
                        let read = IssuedDocumentForm::read(members);
                        let read = read.map(|form| (Self::IssuedDocument(Box::new(form)), omitted));
                        read.map_err(|faults| {
                            count_refused(name, imported);
                            issued_document::refusal(&faults)
                        })
                    }
                    $(<$type as Kind>::NAME => {
                        let omitted = omitted_members(<$type>::NAME, <$type>::MEMBERS, &members, imported);
                        let read = <$type as Kind>::read(&Value::Object(members));
                        count_refusal(<$type>::NAME, read.map(|value| (Self::$name(Box::new(value)), omitted)), imported)
                    })*
                    other => {
                        imported.unreadable += 1;
                        let known = KINDS.join(", ");
                        Err(format!("kind: '{}' is not known here: use one of {known}", shortened(other)))
                    }
                }
            }
        }
    };
}

records! {
    Building(Building),
    UnitType(UnitType),
    Amenity(Amenity),
    Unit(Unit),
    ProductGroup(ProductGroup),
    Product(Product),
    RatePlan(RatePlan),
    Tariff(Tariff),
    Booking(Booking),
    Conversation(Conversation),
    Message(Message),
    Team(Team),
    User(User),
    Task(Task),
}

impl Record {
    /// Where its kind stands among the kinds: it may refer to those before it.
    pub(super) fn rank(&self) -> usize {
        KINDS.iter().position(|kind| *kind == self.kind()).unwrap_or(KINDS.len())
    }

    /// What a line says, or why it says nothing; counts a line that is passed over, and notes members that its kind does
    /// not have.
    pub(super) fn parse(text: &str, imported: &mut Imported) -> Result<(Self, OmittedMembers), String> {
        let mut unreadable = |message: String| {
            imported.unreadable += 1;
            Err(message)
        };
        let mut members = match serde_json::from_str(text) {
            Ok(Value::Object(members)) => members,
            Ok(_) => return unreadable("the line is no JSON object".to_owned()),
            Err(error) => {
                return unreadable(format!("the line is no JSON from column {} on", error.column()));
            }
        };
        if let Some(member) = duplicate_key(text.as_bytes()) {
            return unreadable(format!("{}: is given twice: give it once", shortened(&member)));
        }
        match members.shift_remove("kind") {
            Some(Value::String(kind)) => Self::of(&kind, members, imported),
            _ => unreadable("kind: say what the line is, such as \"unit\"".to_owned()),
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

fn omitted_members(
    kind: &'static str,
    known: &'static [&'static str],
    members: &Map<String, Value>,
    imported: &mut Imported,
) -> OmittedMembers {
    for member in members.keys().filter(|member| !known.contains(&member.as_str())) {
        imported.unknown_members.insert((kind, shortened(member)));
    }
    known.iter().copied().filter(|member| !members.contains_key(*member)).collect()
}

fn count_refusal<T>(
    kind: &'static str,
    read: Result<T, Vec<gateway_domain::FieldError>>,
    imported: &mut Imported,
) -> Result<T, String> {
    read.map_err(|faults| {
        count_refused(kind, imported);
        sentence(&faults)
    })
}

fn count_refused(kind: &'static str, imported: &mut Imported) {
    imported.kinds.entry(kind).or_default().refused += 1;
}
