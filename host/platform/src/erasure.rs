//! What the platform knows of a person, erased when they ask for it: by operators, across workspaces.

use crate::context::Context;
use gateway_domain::StoreError;
use gateway_domain::access::{Actor, Workspaces};
use gateway_domain::ids::{BookingId, UserId};
use gateway_domain_lists::Stamped;
use gateway_domain_platform::bookings::{Booking, GuestVerification};
use gateway_domain_platform::changes;
use gateway_domain_platform::conversations::{Conversation, Message};
use gateway_domain_platform::erasure::{
    Person, PersonId, booking_without, erased_user, message_without_text, verification_without_guest,
};
use gateway_domain_platform::identity::User;
use gateway_domain_platform::webhooks::How;
use gateway_storage::{
    Executor, Tx, accounts, bookings, conversations, creation_clock, guest_verifications, persons,
};
use jiff::Timestamp;
use serde::Serialize;
use uuid::Uuid;

/// Bookings that are looked for in one go.
const BATCH: i64 = 200;
/// Messages that are read in one go.
const MESSAGES: i64 = 200;
const ALL: Workspaces = Workspaces::All;
/// For the audit trail.
const ACTION: &str = "person.erase";
/// One user.
const USER: ErasureCounts =
    ErasureCounts { bookings: 0, contacts: 0, guest_verifications: 0, messages: 0, users: 1 };

/// What was erased of a person, or would be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ErasureCounts {
    /// Bookings among whose contacts they were.
    pub bookings: u64,
    /// Their entries among the contacts of these.
    pub contacts: u64,
    /// Vettings of guests of these bookings, whose details go.
    pub guest_verifications: u64,
    /// Messages about these bookings, whose texts go.
    pub messages: u64,
    /// Users with their address.
    pub users: u64,
}

impl ErasureCounts {
    const fn add(&mut self, other: Self) {
        let Self { bookings, contacts, guest_verifications, messages, users } = other;
        self.bookings = self.bookings.saturating_add(bookings);
        self.contacts = self.contacts.saturating_add(contacts);
        self.guest_verifications = self.guest_verifications.saturating_add(guest_verifications);
        self.messages = self.messages.saturating_add(messages);
        self.users = self.users.saturating_add(users);
    }
}

/// What is left of a booking and of what stands beside it.
struct BookingErasure {
    contacts: u64,
    booking: Booking,
    verification: Option<GuestVerification>,
    conversation: Option<Conversation>,
    messages: Vec<Message>,
}

/// Erases persons. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Erasure {
    context: Context,
}

impl Erasure {
    pub(crate) const fn new(context: Context) -> Self {
        Self { context }
    }

    /// Whom this names; none when there is no such user.
    pub async fn person(&self, id: &PersonId) -> Result<Option<Person>, StoreError> {
        Ok(match id {
            PersonId::Email(person) => Some(person.clone()),
            PersonId::User(id) => {
                let known = accounts::by_ids(self.context.db(), &ALL, &[*id]).await?;
                known.get(id).map(|user| Person::of_user(user))
            }
        })
    }

    /// What would be erased. Nothing is held meanwhile.
    pub async fn find(&self, person: &Person) -> Result<ErasureCounts, StoreError> {
        let db = self.context.db();
        let (mut counts, mut after) = (ErasureCounts::default(), BookingId(Uuid::nil()));
        while let Some(batch) = self.bookings_of(person, &mut after).await? {
            let found = bookings::by_ids(db, &ALL, &batch).await?;
            for booking in found.into_values() {
                let erasure = BookingErasure::of(db, booking, person).await?;
                counts.add(erasure.map_or_else(ErasureCounts::default, |erasure| erasure.counts()));
            }
        }
        let users = persons::users(db, person).await?;
        let known = accounts::by_ids(db, &ALL, &users).await?;
        for _ in known.values().filter_map(|user| erased(user, person)) {
            counts.add(USER);
        }
        Ok(counts)
    }

    /// Erases it, a booking or user at a time, each with its audit entry and event. One that is interrupted is repeated, and goes
    /// on with what is left.
    pub async fn erase(&self, actor: &Actor, person: &Person) -> Result<ErasureCounts, StoreError> {
        let (mut counts, mut after) = (ErasureCounts::default(), BookingId(Uuid::nil()));
        while let Some(batch) = self.bookings_of(person, &mut after).await? {
            for id in batch {
                counts.add(self.erase_booking(id, person, actor).await?);
            }
        }
        for id in persons::users(self.context.db(), person).await? {
            counts.add(self.erase_user(id, person, actor).await?);
        }
        Ok(counts)
    }

    /// Some of the bookings of a person, behind those that came before; none when there are no more.
    async fn bookings_of(
        &self,
        person: &Person,
        after: &mut BookingId,
    ) -> Result<Option<Vec<BookingId>>, StoreError> {
        let found = persons::bookings(self.context.db(), person, *after, BATCH).await?;
        Ok(found.last().copied().map(|last| {
            *after = last;
            found
        }))
    }

    async fn erase_booking(
        &self,
        id: BookingId,
        person: &Person,
        actor: &Actor,
    ) -> Result<ErasureCounts, StoreError> {
        let mut tx = self.context.db().begin().await?;
        let now = creation_clock::next(&mut tx, self.context.now()).await?;
        let erasure = match bookings::lock(&mut tx, &ALL, &[id]).await?.remove(&id) {
            Some(booking) => BookingErasure::of(&mut tx, booking, person).await?,
            None => None,
        };
        let Some(erasure) = erasure else {
            tx.rollback().await?;
            return Ok(ErasureCounts::default());
        };
        let counts = erasure.counts();
        let mut events = vec![changes::booking(&erasure.booking, How::Updated)];
        if let Some(rest) = &erasure.verification {
            events.push(changes::guest_verification(erasure.booking.workspace, id, rest.status));
        }
        write_booking(&mut tx, &erasure, now).await?;
        self.context.audit().record(&mut tx, actor, ACTION, format!("booking:{id}"), &counts).await?;
        self.context.events().append_changes(&mut tx, actor, &events).await?;
        tx.commit_at("person-erased").await?;
        Ok(counts)
    }

    async fn erase_user(
        &self,
        id: UserId,
        person: &Person,
        actor: &Actor,
    ) -> Result<ErasureCounts, StoreError> {
        let mut tx = self.context.db().begin().await?;
        let now = creation_clock::next(&mut tx, self.context.now()).await?;
        let known = accounts::by_ids(&mut tx, &ALL, &[id]).await?.remove(&id);
        let Some((before, rest)) = known.and_then(|user| erased(&user, person).map(|rest| (user, rest)))
        else {
            tx.rollback().await?;
            return Ok(ErasureCounts::default());
        };
        accounts::put(&mut tx, &[&rest], now).await?;
        self.context.audit().record(&mut tx, actor, ACTION, format!("user:{id}"), &USER).await?;
        self.context.events().append_changes(&mut tx, actor, &changes::user(&rest, Some(&before))).await?;
        tx.commit_at("person-erased").await?;
        Ok(USER)
    }
}

/// What is left of a user who is this person; none of another one, and of one who was erased.
fn erased(user: &Stamped<User>, person: &Person) -> Option<User> {
    Some(erased_user(user)).filter(|rest| person.has_email(&user.email) && *rest != user.value)
}

impl BookingErasure {
    /// What is left of a booking; none when this person is not among its contacts.
    async fn of(
        on: impl Into<Executor<'_>>,
        before: Stamped<Booking>,
        person: &Person,
    ) -> Result<Option<Self>, StoreError> {
        let mut on = on.into();
        let Some(booking) = booking_without(&before, person) else { return Ok(None) };
        let id = booking.id;
        let known = guest_verifications::find(on.reborrow(), id, booking.vetting).await?;
        let verification = known.and_then(|known| verification_without_guest(&known));
        let conversation = conversations::of_bookings(on.reborrow(), &ALL, &[id]).await?.remove(&id);
        let conversation = conversation.map(|stored| stored.value);
        let mut messages = Vec::new();
        if let Some(conversation) = &conversation {
            let mut after = None;
            loop {
                let page =
                    conversations::messages_of(on.reborrow(), conversation.id, after, MESSAGES).await?;
                let Some(last) = page.last() else { break };
                after = Some((last.sent_at, last.id.0));
                messages.extend(page.iter().filter_map(|message| message_without_text(message)));
            }
        }
        let contacts = before.contacts.len().saturating_sub(booking.contacts.len());
        let contacts = contacts.try_into().unwrap_or(u64::MAX);
        Ok(Some(Self { contacts, booking, verification, conversation, messages }))
    }

    fn counts(&self) -> ErasureCounts {
        ErasureCounts {
            bookings: 1,
            contacts: self.contacts,
            guest_verifications: u64::from(self.verification.is_some()),
            messages: self.messages.len().try_into().unwrap_or(u64::MAX),
            users: 0,
        }
    }
}

async fn write_booking(tx: &mut Tx, erasure: &BookingErasure, now: Timestamp) -> Result<(), StoreError> {
    let BookingErasure { contacts: _, booking, verification, conversation, messages } = erasure;
    bookings::put(tx, &[booking], now).await?;
    if let Some(rest) = verification {
        guest_verifications::put(tx, booking.id, rest, now).await?;
    }
    conversations::put_messages(tx, &messages.iter().collect::<Vec<_>>(), now).await?;
    if let Some(conversation) = conversation.as_ref().filter(|_| !messages.is_empty()) {
        conversations::touch(tx, conversation.id, now).await?;
    }
    Ok(())
}
