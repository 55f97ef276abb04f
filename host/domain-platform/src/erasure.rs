//! What is taken out of the platform's data when a person asks for the erasure of theirs (GDPR article 17). Invoices are not
//! platform data and stay: the law asks whoever issued them to store them (article 17(3)(b)).

use crate::bookings::{Booking, GuestVerification};
use crate::conversations::{Message, PLAIN_TEXT};
use crate::identity::{User, UserStatus};
use gateway_domain::ids::UserId;
use std::str::FromStr;

/// Stands where a text of the person was.
pub const ERASED_TEXT: &str = "[erased]";
/// The longest mail address, characters (RFC 5321, section 4.5.3.1.3, without the angle brackets).
const EMAIL_CHARS_MAX: usize = 254;

/// A person, by the mail address under which bookings and users have them; case does not matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    email: String,
}

/// How somebody is named who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PersonId {
    /// By their account; whatever has its address is theirs too.
    User(UserId),
    /// By their address.
    Email(Person),
}

/// Neither the id of a user nor a mail address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("use the id of a user, or a mail address such as ada@example.com")]
pub struct InvalidPerson;

impl FromStr for PersonId {
    type Err = InvalidPerson;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self::User).or_else(|_| text.parse().map(Self::Email))
    }
}

impl FromStr for Person {
    type Err = InvalidPerson;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_plain = !text.chars().any(|c| c.is_whitespace() || c.is_control());
        let parts = text.split_once('@').filter(|(local, host)| !local.is_empty() && !host.is_empty());
        if parts.is_some() && is_plain && text.chars().count() <= EMAIL_CHARS_MAX {
            Ok(Self { email: text.to_lowercase() })
        } else {
            Err(InvalidPerson)
        }
    }
}

impl Person {
    /// Who has this account.
    pub fn of_user(user: &User) -> Self {
        Self { email: user.email.trim().to_lowercase() }
    }

    /// Their mail address in lower case.
    pub fn email(&self) -> &str {
        &self.email
    }

    /// Whether this address is theirs.
    pub fn has_email(&self, email: &str) -> bool {
        email.trim().to_lowercase() == self.email
    }
}

/// The booking without this person among its contacts; none when they are not among them.
pub fn booking_without(booking: &Booking, person: &Person) -> Option<Booking> {
    let is_theirs = |email: &Option<String>| email.as_deref().is_some_and(|email| person.has_email(email));
    let mut rest = booking.clone();
    rest.contacts.retain(|contact| !is_theirs(&contact.email));
    (rest.contacts.len() < booking.contacts.len()).then_some(rest)
}

/// What stays of a guest's vetting: who vetted, and how it ended. None when nothing else is there.
pub fn verification_without_guest(known: &GuestVerification) -> Option<GuestVerification> {
    let rest = GuestVerification { external_id: None, guest: None, ..known.clone() };
    (rest != *known).then_some(rest)
}

/// That there was a message, and when; none when its text was erased before.
pub fn message_without_text(message: &Message) -> Option<Message> {
    let rest =
        Message { body: ERASED_TEXT.to_owned(), content_type: PLAIN_TEXT.to_owned(), ..message.clone() };
    (rest != *message).then_some(rest)
}

/// The account of nobody: what was done with it still names its id.
pub fn erased_user(user: &User) -> User {
    User {
        id: user.id,
        // RFC 2606, section 2: no mail ever arrives at a domain below `invalid`.
        email: format!("{}@erased.invalid", user.id),
        name: None,
        nickname: None,
        status: UserStatus::Inactive,
        joined_at: user.joined_at,
        role_bindings: Vec::new(),
        teams: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bookings::VettingStatus;
    use serde_json::json;

    fn ada() -> Person {
        "Ada@Example.com".parse().unwrap()
    }

    fn booking(emails: &[Option<&str>]) -> Booking {
        let contacts: Vec<_> =
            emails.iter().map(|email| json!({"name": "Somebody", "email": email, "phone": "1"})).collect();
        serde_json::from_value(json!({
            "id": "00000000-0000-7000-8000-000000000001", "workspace_id": 1,
            "unit_id": "00000000-0000-7000-8000-000000000002", "confirmation_code": "A1",
            "status": "CONFIRMED", "check_in": "2026-11-01", "check_out": "2026-11-02",
            "guests": {"adults": 1, "children": 0}, "contacts": contacts, "vetting_status": "UNVETTED",
        }))
        .unwrap()
    }

    #[test]
    fn a_person_is_known_by_their_address_in_any_case() {
        assert!(ada().has_email(" ADA@example.COM "));
        assert!(!ada().has_email("ada@example.com.evil") && !ada().has_email(""));
        let user = UserId(uuid::Uuid::from_u128(7));
        assert_eq!(user.to_string().parse(), Ok(PersonId::User(user)));
        assert_eq!("ADA@example.com".parse(), Ok(PersonId::Email(ada())));
        for text in ["", "ada", "@example.com", "ada@", "a da@example.com", &format!("{}@x", "a".repeat(253))]
        {
            assert_eq!(text.parse::<Person>(), Err(InvalidPerson), "{text:?}");
        }
    }

    #[test]
    fn only_their_own_contacts_leave_a_booking() {
        let stays = booking(&[Some("ben@example.com"), None]);
        assert_eq!(booking_without(&stays, &ada()), None);
        let both =
            booking(&[Some("ada@example.com"), Some("ben@example.com"), None, Some("ADA@example.com")]);
        assert_eq!(booking_without(&both, &ada()), Some(stays));
    }

    #[test]
    fn who_vetted_a_guest_and_how_it_ended_stays() {
        let known = GuestVerification {
            source: Some("idcheck".to_owned()),
            external_id: Some("4711".to_owned()),
            guest: Some(serde_json::Map::from_iter([("passport".to_owned(), json!("X1"))])),
            status: VettingStatus::Approved,
        };
        let rest = verification_without_guest(&known).unwrap();
        assert_eq!((rest.source.as_deref(), rest.status), (Some("idcheck"), VettingStatus::Approved));
        assert_eq!((rest.external_id.as_deref(), &rest.guest), (None, &None));
        assert_eq!(verification_without_guest(&rest), None);
    }

    #[test]
    fn a_message_keeps_its_place_and_a_user_the_id() {
        let written: Message = serde_json::from_value(json!({
            "id": "00000000-0000-7000-8000-000000000003",
            "conversation_id": "00000000-0000-7000-8000-000000000004",
            "body": "<p>Ada, call 600 100 200</p>", "content_type": "text/html", "source": "mail",
            "sent_at": "2026-11-01T10:00:00Z",
        }))
        .unwrap();
        let rest = message_without_text(&written).unwrap();
        assert_eq!((rest.body.as_str(), rest.sent_at, rest.id), (ERASED_TEXT, written.sent_at, written.id));
        assert_eq!(message_without_text(&rest), None);

        let user: User = serde_json::from_value(json!({
            "id": "00000000-0000-7000-8000-000000000005", "email": "ada@example.com", "name": "Ada",
            "role_bindings": [{"workspace_id": 1, "roles": ["desk"]}],
        }))
        .unwrap();
        let rest = erased_user(&user);
        assert_eq!(
            (rest.id, rest.email.as_str()),
            (user.id, "00000000-0000-7000-8000-000000000005@erased.invalid")
        );
        assert!(rest.name.is_none() && rest.role_bindings.is_empty() && rest.status == UserStatus::Inactive);
    }
}
