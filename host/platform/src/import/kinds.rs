//! The kinds that need nothing beside themselves and what they refer to.

use super::batch_events::BatchEvents;
use super::kind::{Kind, Reference, each_once, members, sound, typed, untyped};
use gateway_domain::FieldError;
use gateway_domain::StoreError;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{ProductGroupId, WorkspaceId};
use gateway_domain_platform::catalog::{Product, ProductGroup, ProductGroupForm};
use gateway_domain_platform::changes;
use gateway_domain_platform::conversations::Message;
use gateway_domain_platform::identity::{Team, User};
use gateway_domain_platform::spaces::{Amenity, Building, UnitType};
use gateway_domain_platform::tasks::Task;
use gateway_domain_platform::webhooks::How;
use gateway_storage::references::ReferenceTarget;
use gateway_storage::{Tx, accounts, conversations, product_groups, products, spaces, tasks};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashMap;
use uuid::Uuid;

/// A kind whose values are read by their members, checked, and stored by two functions.
macro_rules! kind {
    ($type:ty, $name:literal, [$($member:literal)*], workspace: $workspace:expr,
        references: |$value:ident| $references:expr, tidy: $tidy:expr,
        stored: |$tx:ident, $ids:ident| $stored:expr, put: $put:path $(, append_events: $append_events:expr)?) => {
        impl Kind for $type {
            const NAME: &'static str = $name;
            const MEMBERS: &'static [&'static str] = &[$($member),*];
            type Constraints = ();

            fn id(&self) -> Uuid {
                self.id.0
            }

            fn workspace(&self) -> Option<WorkspaceId> {
                let workspace: fn(&Self) -> Option<WorkspaceId> = $workspace;
                workspace(self)
            }

            fn references(&self) -> Vec<Reference> {
                let $value = self;
                $references
            }

            fn read(line: &Value) -> Result<Self, Vec<FieldError>> {
                sound(members(line)?, Self::check)
            }

            fn tidy(&mut self) {
                let tidy: fn(&mut Self) = $tidy;
                tidy(self);
            }

            async fn find_stored($tx: &mut Tx, $ids: &[Uuid]) -> Result<HashMap<Uuid, Self>, StoreError> {
                Ok(untyped($stored.await?))
            }

            $(fn append_events(&self, before: Option<&Self>, events: &mut BatchEvents) {
                let append_events: fn(&Self, Option<&Self>, &mut BatchEvents) = $append_events;
                append_events(self, before, events);
            })?

            async fn put(tx: &mut Tx, values: &[&Self], now: Timestamp) -> Result<(), StoreError> {
                $put(tx, values, now).await
            }
        }
    };
}

const ALL: Workspaces = Workspaces::All;

kind!(Building, "building", ["id" "workspace_id" "name" "address"],
    workspace: |building| Some(building.workspace), references: |_building| Vec::new(), tidy: |_| {},
    stored: |tx, ids| spaces::buildings(tx, &ALL, &typed(ids)), put: spaces::put_buildings,
    append_events: |building, before, events| events.dependents.buildings.add(building.id, before, building));

kind!(UnitType, "unit_type", ["id" "workspace_id" "building_id" "code" "name"],
    workspace: |unit_type| Some(unit_type.workspace),
    references: |unit_type| vec![Reference::new("building_id", ReferenceTarget::Building, unit_type.building)],
    tidy: |_| {},
    stored: |tx, ids| spaces::unit_types(tx, &ALL, &typed(ids)), put: spaces::put_unit_types,
    append_events: |unit_type, before, events| events.dependents.unit_types.add(unit_type.id, before, unit_type));

kind!(Amenity, "amenity", ["id" "name"],
    workspace: |_| None, references: |_amenity| Vec::new(), tidy: |_| {},
    stored: |tx, ids| spaces::amenities(tx, &typed(ids)), put: spaces::put_amenities,
    append_events: |amenity, before, events| events.dependents.amenities.add(amenity.id, before, amenity));

kind!(Product, "product", ["id" "workspace_id" "product_group_id" "name" "unit_ids"],
    workspace: |product| Some(product.workspace),
    references: |product| {
        let mut all = vec![Reference::new("product_group_id", ReferenceTarget::ProductGroup, product.group)];
        all.extend(Reference::list("unit_ids", ReferenceTarget::Unit, &product.units));
        all
    },
    tidy: |product| each_once(&mut product.units),
    stored: |tx, ids| products::by_ids(tx, &ALL, &typed(ids)), put: products::put);

kind!(Message, "message", ["id" "conversation_id" "body" "content_type" "source" "sent_at"],
workspace: |_| None,
references: |message| vec![Reference::new("conversation_id", ReferenceTarget::Conversation, message.conversation)],
tidy: |message| message.sent_at = to_the_microsecond(message.sent_at),
stored: |tx, ids| conversations::messages(tx, &ALL, &typed(ids)), put: conversations::put_messages,
append_events: |message, before, events| {
    if before.is_none() {
        events.message(message);
    }
});

kind!(Team, "team", ["id" "name"],
    workspace: |_| None, references: |_team| Vec::new(), tidy: |_| {},
    stored: |tx, ids| accounts::teams(tx, &ALL, &typed(ids)), put: accounts::put_teams,
    append_events: |team, before, events| events.dependents.teams.add(team.id, before, team));

kind!(Task, "task", ["id" "workspace_id" "title" "type" "due_date" "start_time" "estimated_duration_hours" "notes"
        "unit_id" "booking_id"],
    workspace: |task| Some(task.workspace),
    references: |task| {
        let unit = task.unit.map(|id| Reference::new("unit_id", ReferenceTarget::Unit, id));
        let booking = task.booking.map(|id| Reference::new("booking_id", ReferenceTarget::Booking, id));
        unit.into_iter().chain(booking).collect()
    },
    tidy: |_| {},
    stored: |tx, ids| tasks::by_ids(tx, &ALL, &typed(ids)), put: tasks::put,
    append_events: |task, before, events| events.push(changes::task(task, How::after(before))));

/// As the databases keep it.
fn to_the_microsecond(at: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at)
}

impl Kind for User {
    const NAME: &'static str = "user";
    const MEMBERS: &'static [&'static str] =
        &["id", "email", "name", "nickname", "status", "joined_at", "role_bindings", "team_ids"];
    type Constraints = ();

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn workspace(&self) -> Option<WorkspaceId> {
        None
    }

    fn workspaces(&self) -> Vec<(String, WorkspaceId)> {
        let named = |index: usize| format!("role_bindings[{index}].workspace_id");
        self.role_bindings
            .iter()
            .enumerate()
            .map(|(index, binding)| (named(index), binding.workspace))
            .collect()
    }

    fn references(&self) -> Vec<Reference> {
        Reference::list("team_ids", ReferenceTarget::Team, &self.teams)
    }

    fn read(line: &Value) -> Result<Self, Vec<FieldError>> {
        sound(members(line)?, Self::check)
    }

    fn tidy(&mut self) {
        self.role_bindings.sort_by_key(|binding| binding.workspace);
        each_once(&mut self.teams);
        self.joined_at = self.joined_at.map(to_the_microsecond);
    }

    async fn find_stored(tx: &mut Tx, ids: &[Uuid]) -> Result<HashMap<Uuid, Self>, StoreError> {
        Ok(untyped(accounts::by_ids(tx, &ALL, &typed(ids)).await?))
    }

    fn append_events(&self, before: Option<&Self>, events: &mut BatchEvents) {
        events.dependents.users.add(self.id, before, self);
    }

    async fn put(tx: &mut Tx, users: &[&Self], now: Timestamp) -> Result<(), StoreError> {
        accounts::put(tx, users, now).await
    }
}

/// The id of a product group stands beside its form.
#[derive(serde::Deserialize)]
struct WithId {
    id: ProductGroupId,
}

impl Kind for ProductGroup {
    const NAME: &'static str = "product_group";
    const MEMBERS: &'static [&'static str] = &[
        "id",
        "workspace_id",
        "internal_reference",
        "contract_earliest_start_date",
        "contract_latest_start_date",
        "contract_earliest_end_date",
        "contract_latest_end_date",
        "academic_year",
        "product_segment",
        "state",
        "publishing",
        "default_expiry_duration_in_seconds",
        "allow_booking_expiry_timer",
        "requires_cancelation_policy",
        "cancelation_policy_id",
        "contract_template_external_id",
    ];
    type Constraints = ();

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn workspace(&self) -> Option<WorkspaceId> {
        Some(self.workspace)
    }

    fn references(&self) -> Vec<Reference> {
        Vec::new()
    }

    fn read(line: &Value) -> Result<Self, Vec<FieldError>> {
        let WithId { id } = members(line)?;
        members::<ProductGroupForm>(line)?.check(id)
    }

    fn keep(&mut self, stored: &Self, omitted: &dyn Fn(&str) -> bool) {
        if omitted("state") {
            self.state = stored.state;
        }
    }

    async fn find_stored(tx: &mut Tx, ids: &[Uuid]) -> Result<HashMap<Uuid, Self>, StoreError> {
        Ok(untyped(product_groups::by_ids(tx, &ALL, &typed(ids)).await?))
    }

    fn append_events(&self, before: Option<&Self>, events: &mut BatchEvents) {
        events.push(changes::product_group(self, How::after(before)));
    }

    async fn put(tx: &mut Tx, groups: &[&Self], now: Timestamp) -> Result<(), StoreError> {
        product_groups::put(tx, groups, now).await
    }
}
