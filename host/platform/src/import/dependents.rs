//! Units and users that a batch announces, each once: for a line of their own, or because something else that they show
//! changed, such as the building of a unit or the team of a user.

use gateway_domain::StoreError;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{AmenityId, BuildingId, TeamId, UnitId, UnitTypeId, UserId};
use gateway_domain_events::Change;
use gateway_domain_platform::changes;
use gateway_domain_platform::identity::{Team, User};
use gateway_domain_platform::spaces::{Amenity, Building, Unit, UnitType};
use gateway_domain_platform::webhooks::How;
use gateway_storage::{Tx, accounts, units};
use std::collections::{BTreeMap, BTreeSet};

const ALL: Workspaces = Workspaces::All;

/// Something before a batch, and as its lines leave it.
#[derive(Debug)]
struct Edit<T> {
    before: Option<T>,
    now: T,
}

/// What the lines of a batch did to things of one kind.
#[derive(Debug)]
pub(super) struct Edits<I, T>(BTreeMap<I, Edit<T>>);

impl<I, T> Default for Edits<I, T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<I: Copy + Ord, T: Clone + PartialEq> Edits<I, T> {
    /// One line of several about a thing: what was there before the first of them counts.
    pub(super) fn add(&mut self, id: I, before: Option<&T>, now: &T) {
        let edit = self.0.entry(id).or_insert_with(|| Edit { before: before.cloned(), now: now.clone() });
        edit.now = now.clone();
    }

    /// Those that were there with another content. Nothing shows what was not there.
    fn updated(&self) -> Vec<I> {
        let updated = |edit: &Edit<T>| edit.before.as_ref().is_some_and(|before| *before != edit.now);
        self.0.iter().filter(|(_, edit)| updated(edit)).map(|(id, _)| *id).collect()
    }
}

/// What a batch did to units and users, and to what they show.
#[derive(Debug, Default)]
pub(super) struct Dependents {
    pub(super) buildings: Edits<BuildingId, Building>,
    pub(super) unit_types: Edits<UnitTypeId, UnitType>,
    pub(super) amenities: Edits<AmenityId, Amenity>,
    pub(super) units: Edits<UnitId, Unit>,
    pub(super) teams: Edits<TeamId, Team>,
    pub(super) users: Edits<UserId, User>,
}

impl Dependents {
    /// What is announced of units and users. Everything is looked up as the batch leaves it: what no longer shows
    /// something was edited itself. Imports wait for each other, so nobody else writes about them meanwhile.
    pub(super) async fn changes(&self, tx: &mut Tx) -> Result<Vec<Change>, StoreError> {
        let mut all = self.unit_changes(tx).await?;
        all.extend(self.user_changes(tx).await?);
        Ok(all)
    }

    async fn unit_changes(&self, tx: &mut Tx) -> Result<Vec<Change>, StoreError> {
        let affected = self.affected_units(tx).await?;
        let own = self.units.0.iter().filter_map(|(id, Edit { before, now })| {
            let changed = before.as_ref() != Some(now) || affected.contains(id);
            changed.then(|| changes::unit(now, How::after(before.as_ref())))
        });
        let mut all: Vec<Change> = own.collect();
        let others = affected.iter().copied().filter(|id| !self.units.0.contains_key(id));
        let others: Vec<UnitId> = others.collect();
        if !others.is_empty() {
            let found: BTreeMap<_, _> = units::by_ids(&mut *tx, &ALL, &others).await?.into_iter().collect();
            all.extend(found.values().map(|unit| changes::unit(unit, How::Updated)));
        }
        Ok(all)
    }

    /// The units that show a building, a kind of unit or an amenity that changed.
    async fn affected_units(&self, tx: &mut Tx) -> Result<BTreeSet<UnitId>, StoreError> {
        let (buildings, unit_types, amenities) =
            (self.buildings.updated(), self.unit_types.updated(), self.amenities.updated());
        let mut affected = BTreeSet::new();
        if !buildings.is_empty() {
            affected.extend(units::of_buildings(&mut *tx, &buildings).await?);
        }
        if !unit_types.is_empty() {
            affected.extend(units::of_types(&mut *tx, &unit_types).await?);
        }
        if !amenities.is_empty() {
            affected.extend(units::with_amenities(&mut *tx, &amenities).await?);
        }
        Ok(affected)
    }

    async fn user_changes(&self, tx: &mut Tx) -> Result<Vec<Change>, StoreError> {
        let teams = self.teams.updated();
        let members: BTreeSet<UserId> = match teams.as_slice() {
            [] => BTreeSet::new(),
            some => accounts::members(&mut *tx, some).await?.into_iter().collect(),
        };
        let own = self.users.0.iter().map(|(id, Edit { before, now })| match before {
            Some(before) if members.contains(id) => changes::team_member(now, before),
            before => changes::user(now, before.as_ref()),
        });
        let mut all: Vec<Change> = own.flatten().collect();
        let others: Vec<UserId> =
            members.iter().copied().filter(|id| !self.users.0.contains_key(id)).collect();
        if !others.is_empty() {
            let found: BTreeMap<_, _> =
                accounts::by_ids(&mut *tx, &ALL, &others).await?.into_iter().collect();
            all.extend(found.values().flat_map(|user| changes::team_member(user, user)));
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_lines_leave_as_it_was_is_no_change() {
        let mut edits: Edits<u8, &str> = Edits::default();
        for (id, before, now) in [
            (1, None, "new"),
            (1, Some("new"), "newer"),
            (2, Some("a"), "b"),
            (2, Some("b"), "a"),
            (3, Some("a"), "b"),
            (3, Some("b"), "c"),
        ] {
            edits.add(id, before.as_ref(), &now);
        }
        assert_eq!(edits.updated(), [3], "1 was not there, and 2 is what it was");
    }
}
