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
use gateway_storage::{Tx, accounts, bookings, conversations, creation_clock, guest_verifications, persons};
use jiff::Timestamp;
use serde::Serialize;
use uuid::Uuid;

/// Bookings that are looked for in one go.
const BATCH: i64 = 200;
/// Messages that are read in one go.
const MESSAGES: i64 = 200;
const ALL: Workspaces = Workspaces::All;

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

/// Whether what was found is changed too.
#[derive(Clone, Copy)]
enum Mode<'a> {
    Find,
    Erase(&'a Actor),
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

    /// What would be erased.
    pub async fn find(&self, person: &Person) -> Result<ErasureCounts, StoreError> {
        self.go_over(person, Mode::Find).await
    }

    /// Erases it, a booking or user at a time, each with its audit entry and event. One that is interrupted is repeated, and goes
    /// on with what is left.
    pub async fn erase(&self, actor: &Actor, person: &Person) -> Result<ErasureCounts, StoreError> {
        self.go_over(person, Mode::Erase(actor)).await
    }

    async fn go_over(&self, person: &Person, mode: Mode<'_>) -> Result<ErasureCounts, StoreError> {
        let (mut counts, mut after) = (ErasureCounts::default(), BookingId(Uuid::nil()));
        loop {
            let found = persons::bookings(self.context.db(), person, after, BATCH).await?;
            let Some(last) = found.last() else { break };
            after = *last;
            for id in found {
                counts.add(self.booking(id, person, mode).await?);
            }
        }
        for id in persons::users(self.context.db(), person).await? {
            counts.add(self.user(id, person, mode).await?);
        }
        Ok(counts)
    }

    async fn booking(
        &self,
        id: BookingId,
        person: &Person,
        mode: Mode<'_>,
    ) -> Result<ErasureCounts, StoreError> {
        let mut tx = self.context.db().begin().await?;
        let now = creation_clock::next(&mut tx, self.context.now()).await?;
        let Some(erasure) = read_booking(&mut tx, id, person).await? else {
            tx.rollback().await?;
            return Ok(ErasureCounts::default());
        };
        let counts = ErasureCounts {
            bookings: 1,
            contacts: erasure.contacts,
            guest_verifications: u64::from(erasure.verification.is_some()),
            messages: erasure.messages.len().try_into().unwrap_or(u64::MAX),
            users: 0,
        };
        match mode {
            Mode::Find => tx.rollback().await?,
            Mode::Erase(actor) => {
                let mut events = vec![changes::booking(&erasure.booking, How::Updated)];
                if let Some(rest) = &erasure.verification {
                    events.push(changes::guest_verification(erasure.booking.workspace, id, rest.status));
                }
                write_booking(&mut tx, &erasure, now).await?;
                let subject = format!("booking:{id}");
                self.context.audit().record(&mut tx, actor, "person.erase", subject, &counts).await?;
                self.context.events().append_changes(&mut tx, actor, &events).await?;
                tx.commit_at("person-erased").await?;
            }
        }
        Ok(counts)
    }

    async fn user(&self, id: UserId, person: &Person, mode: Mode<'_>) -> Result<ErasureCounts, StoreError> {
        let mut tx = self.context.db().begin().await?;
        let now = creation_clock::next(&mut tx, self.context.now()).await?;
        let known = accounts::by_ids(&mut tx, &ALL, &[id]).await?.remove(&id);
        let is_theirs =
            |user: &Stamped<User>| person.has_email(&user.email) && erased_user(user) != user.value;
        let Some(before) = known.filter(is_theirs) else {
            tx.rollback().await?;
            return Ok(ErasureCounts::default());
        };
        let counts = ErasureCounts { users: 1, ..ErasureCounts::default() };
        match mode {
            Mode::Find => tx.rollback().await?,
            Mode::Erase(actor) => {
                let rest = erased_user(&before);
                accounts::put(&mut tx, &rest, now).await?;
                let subject = format!("user:{id}");
                self.context.audit().record(&mut tx, actor, "person.erase", subject, &counts).await?;
                let events = changes::user(&rest, Some(&before));
                self.context.events().append_changes(&mut tx, actor, &events).await?;
                tx.commit_at("person-erased").await?;
            }
        }
        Ok(counts)
    }
}

/// What is left of a booking, which is held from now on; none when this person is not among its contacts.
async fn read_booking(
    tx: &mut Tx,
    id: BookingId,
    person: &Person,
) -> Result<Option<BookingErasure>, StoreError> {
    let Some(before) = bookings::lock(tx, &ALL, &[id]).await?.remove(&id) else { return Ok(None) };
    let Some(booking) = booking_without(&before, person) else { return Ok(None) };
    let known = guest_verifications::find(&mut *tx, id, booking.vetting).await?;
    let verification = known.and_then(|known| verification_without_guest(&known));
    let conversation = conversations::of_bookings(&mut *tx, &ALL, &[id]).await?.remove(&id);
    let conversation = conversation.map(|stored| stored.value);
    let mut messages = Vec::new();
    if let Some(conversation) = &conversation {
        let mut after = None;
        loop {
            let page = conversations::messages_of(&mut *tx, conversation.id, after, MESSAGES).await?;
            let Some(last) = page.last() else { break };
            after = Some((last.sent_at, last.id.0));
            messages.extend(page.iter().filter_map(|message| message_without_text(message)));
        }
    }
    let contacts = before.contacts.len().saturating_sub(booking.contacts.len());
    let contacts = contacts.try_into().unwrap_or(u64::MAX);
    Ok(Some(BookingErasure { contacts, booking, verification, conversation, messages }))
}

async fn write_booking(tx: &mut Tx, erasure: &BookingErasure, now: Timestamp) -> Result<(), StoreError> {
    let BookingErasure { contacts: _, booking, verification, conversation, messages } = erasure;
    bookings::put(tx, booking, now).await?;
    if let Some(rest) = verification {
        guest_verifications::put(tx, booking.id, rest, now).await?;
    }
    for message in messages {
        conversations::put_message(tx, message, now).await?;
    }
    if let Some(conversation) = conversation.as_ref().filter(|_| !messages.is_empty()) {
        conversations::touch(tx, conversation.id, now).await?;
    }
    Ok(())
}
