//! A JSON value read strictly, with mistakes that say what they are: a list never stands for an object, as the derived
//! readers would have it, and nothing has to be read out of a sentence.

use gateway_domain::ErrorCode;
use jiff::Timestamp;
use jiff::civil::{Date, Time};
use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error, Expected, IntoDeserializer, Unexpected, Visitor};
use serde_json::Value;
use std::any::type_name;
use std::fmt::{self, Display};
use uuid::Uuid;

/// A member that a mistake is about, and that its place does not name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Member {
    /// It is needed and not there.
    Missing(String),
    /// It is there and means nothing.
    Unknown(String),
}

/// What a reader stumbled over.
#[derive(Debug)]
pub(super) struct Mistake {
    pub(super) code: ErrorCode,
    pub(super) message: String,
    pub(super) member: Option<Member>,
}

impl Mistake {
    fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), member: None }
    }

    fn wrong_type(words: &str) -> Self {
        Self::new(ErrorCode::WrongType, format!("must be {words}"))
    }
}

impl Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Mistake {}

impl Error for Mistake {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(ErrorCode::InvalidFormat, message.to_string())
    }

    fn missing_field(name: &'static str) -> Self {
        let member = Some(Member::Missing(name.to_owned()));
        Self { member, ..Self::new(ErrorCode::Required, "is missing") }
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        let message = if known.is_empty() {
            "is no member: there are none".to_owned()
        } else {
            format!("is no member: use {}", known.join(", "))
        };
        let member = Some(Member::Unknown(name.to_owned()));
        Self { member, ..Self::new(ErrorCode::UnknownMember, message) }
    }

    fn unknown_variant(_: &str, known: &'static [&'static str]) -> Self {
        Self::new(ErrorCode::NotOneOf, format!("use one of {}", known.join(", ")))
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self::new(ErrorCode::GivenTwice, format!("{name} is given twice: give it once"))
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::wrong_type(&expected.to_string())
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(ErrorCode::InvalidFormat, format!("must be {expected}"))
    }
}

/// A value whose objects are objects, all the way down.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strict<'v>(pub(super) &'v Value);

impl<'de> IntoDeserializer<'de, Mistake> for Strict<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// What to send where a library reads a text as a `T` of its own, which it would refuse in its own words; none for other
/// types.
///
/// Types are compared by name because `TypeId` is not to be had of one that may borrow: should two types ever share
/// a name, the advice of one would be given for the other.
fn remedy<T>() -> Option<&'static str> {
    let remedies = [
        (type_name::<Uuid>(), "use a UUID, such as 0197f4f2-0000-7000-8000-000000000001"),
        (type_name::<Date>(), "use a day as YYYY-MM-DD, such as 2026-12-31"),
        (type_name::<Time>(), "use a time of day as HH:MM, such as 09:30"),
        (type_name::<Timestamp>(), "use a time as RFC 3339, such as 2026-11-20T09:30:00Z"),
    ];
    remedies.into_iter().find(|(name, _)| *name == type_name::<T>()).map(|(_, remedy)| remedy)
}

const WHOLE: &str = "a whole number";
const TEXT: &str = "a text";
const OBJECT: &str = "an object";

impl<'de> Strict<'de> {
    fn list<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let Value::Array(items) = self.0 else { return Err(Mistake::wrong_type("a list")) };
        let mut items = SeqDeserializer::new(items.iter().map(Strict));
        let value = visitor.visit_seq(&mut items)?;
        items.end().map(|()| value)
    }

    fn object<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let Value::Object(members) = self.0 else { return Err(Mistake::wrong_type(OBJECT)) };
        visitor.visit_map(MapDeserializer::new(
            members.iter().map(|(name, value)| (name.as_str(), Strict(value))),
        ))
    }

    fn text<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match self.0 {
            Value::String(text) => {
                visitor.visit_borrowed_str(text).map_err(|mistake: Mistake| match remedy::<V::Value>() {
                    Some(remedy) => Mistake::new(mistake.code, remedy),
                    None => mistake,
                })
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                Err(Mistake::wrong_type(TEXT))
            }
        }
    }

    /// A whole number of a type that holds no other.
    fn whole<T: TryFrom<i128>>(self, words: &str) -> Result<T, Mistake> {
        let number = match self.0 {
            Value::Number(number) => {
                number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
            }
            Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
        };
        number.and_then(|number| number.try_into().ok()).ok_or_else(|| Mistake::wrong_type(words))
    }
}

/// Reads a whole number as the type that is asked for.
macro_rules! whole {
    ($($method:ident $visit:ident $words:expr;)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
            visitor.$visit(self.whole($words)?)
        })+
    };
}

impl<'de> Deserializer<'de> for Strict<'de> {
    type Error = Mistake;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), ..) => visitor.visit_u64(number),
                (None, Some(number), _) => visitor.visit_i64(number),
                (None, None, Some(number)) => visitor.visit_f64(number),
                (None, None, None) => Err(Mistake::wrong_type("a number")),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(_) => self.list(visitor),
            Value::Object(_) => self.object(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        self.0
            .as_bool()
            .map_or_else(|| Err(Mistake::wrong_type("true or false")), |value| visitor.visit_bool(value))
    }

    whole! {
        deserialize_i8 visit_i8 "a whole number from -128 to 127";
        deserialize_i16 visit_i16 WHOLE;
        deserialize_i32 visit_i32 "a whole number from -2147483648 to 2147483647";
        deserialize_i64 visit_i64 WHOLE;
        deserialize_u8 visit_u8 WHOLE;
        deserialize_u16 visit_u16 WHOLE;
        deserialize_u32 visit_u32 WHOLE;
        deserialize_u64 visit_u64 WHOLE;
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        self.0.as_f64().map_or_else(|| Err(Mistake::wrong_type("a number")), |value| visitor.visit_f64(value))
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        self.text(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        self.text(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        self.list(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        self.object(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        self.object(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        visitor.visit_newtype_struct(self)
    }

    /// A word, or an object with one member that is a word.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        match self.0 {
            Value::String(word) => visitor.visit_enum(word.as_str().into_deserializer()),
            Value::Object(members) => {
                let members = members.iter().map(|(name, value)| (name.as_str(), Strict(value)));
                visitor.visit_enum(MapAccessDeserializer::new(MapDeserializer::new(members)))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                Err(Mistake::wrong_type(TEXT))
            }
        }
    }

    serde::forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf unit unit_struct tuple tuple_struct identifier ignored_any
    }
}
