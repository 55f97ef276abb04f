//! Gateway processes that are killed, asked to stop, and started again, at any time and at named points of the code.

use super::Until;
use super::random::Random;
use crate::gateway::Gateway;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Named where the gateway's transactions commit; each has a side before its commit and one after. The points of commands
/// on documents in a remote service (`requested`, `to-converting`, `intended`, `postponed`, `withdrawn`, `to-settling`, `concluded`)
/// have tests of their own.
const POINTS: [&str; 16] = [
    "saved",
    "issuing",
    "issued",
    "rejected",
    "standard",
    "command",
    "to-uploading",
    "to-starting",
    "to-waiting",
    "to-accepted",
    "to-rejected",
    "to-superseded",
    "given-back",
    "claimed",
    "consumed",
    "notified",
];

/// Where the processes that run listen: public and internal.
#[derive(Debug, Clone, Default)]
pub(super) struct Addresses(Arc<Mutex<Vec<Option<Address>>>>);

/// Public and internal.
type Address = (String, String);

impl Addresses {
    fn set(&self, replica: usize, address: Option<Address>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() <= replica {
            all.resize(replica + 1, None);
        }
        if let Some(place) = all.get_mut(replica) {
            *place = address;
        }
    }

    pub(super) fn public(&self) -> Vec<String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().flatten().map(|(public, _)| public.clone()).collect()
    }

    pub(super) fn internal(&self) -> Vec<String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().flatten().map(|(_, internal)| internal.clone()).collect()
    }
}

/// How the processes ended.
#[derive(Debug, Clone, Default)]
pub(super) struct Endpoints {
    pub(super) killed: u64,
    pub(super) stopped: u64,
    /// Asked to stop, and did not in time.
    pub(super) stuck: u64,
    /// Ended by themselves, at these points.
    pub(super) at_points: Vec<String>,
}

/// One process and its place among the others.
pub(super) struct Replica {
    pub(super) gateway: Gateway,
    index: usize,
    random: Random,
    addresses: Addresses,
    point: Option<String>,
    pub(super) ends: Endpoints,
}

impl Replica {
    pub(super) fn new(gateway: Gateway, index: usize, random: &Random, addresses: Addresses) -> Self {
        let random = random.branch("replica", u64::try_from(index).unwrap_or(0));
        Self { gateway, index, random, addresses, point: None, ends: Endpoints::default() }
    }

    pub(super) fn announce(&self) {
        let address = (self.gateway.public().base().to_owned(), self.gateway.internal().base().to_owned());
        self.addresses.set(self.index, Some(address));
    }

    /// Starts without a point to end at.
    pub(super) async fn start_well(&mut self) {
        self.order(None);
        self.gateway.serve().await;
        self.announce();
    }

    fn order(&mut self, point: Option<String>) {
        self.gateway.die_at(point.as_deref());
        self.point = point;
    }

    fn some_point(&mut self) -> Option<String> {
        if !self.random.chance(700) {
            return None;
        }
        let point = *self.random.pick(&POINTS)?;
        let side = if self.random.chance(500) { "after" } else { "before" };
        Some(format!("{side}-{point}:{}", 1 + self.random.below(4)))
    }

    /// Ends and starts again, until `until` says that it is enough; runs well then.
    pub(super) async fn live(mut self, until: Until) -> Self {
        while !until.is_over() {
            let life = self.random.between(400, 3_500);
            let end = (tokio::time::Instant::now() + life).min(until.at());
            while self.gateway.runs() && tokio::time::Instant::now() < end {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            self.end().await;
            tokio::time::sleep(self.random.between(0, 300)).await;
            let point = self.some_point();
            self.order(point);
            if self.gateway.try_serve().await {
                self.announce();
            }
        }
        if self.gateway.runs() {
            self.end().await;
        }
        self.start_well().await;
        self
    }

    /// Its last moment, one way or another.
    async fn end(&mut self) {
        self.addresses.set(self.index, None);
        if !self.gateway.runs() {
            let point = self.point.take().unwrap_or_else(|| "nowhere".to_owned());
            self.ends.at_points.push(point);
        } else if self.random.chance(300) {
            match self.gateway.stop().await {
                Some(_) => self.ends.stopped += 1,
                None => self.ends.stuck += 1,
            }
        } else {
            self.gateway.kill9();
            self.ends.killed += 1;
        }
    }
}
