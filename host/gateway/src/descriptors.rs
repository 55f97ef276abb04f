//! How many files and sockets this process may have open, and how many of them are connections of the listeners.

use gateway_config::Limits;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Kept for the database, plugins, webhooks, the provider, logs and connections that are just being closed.
const RESERVED_DESCRIPTORS: u64 = 512;
/// More is of no use to two listeners, and some systems count what they could open at every start of a process.
const DESCRIPTORS_MAX: u64 = 262_144;

/// How many connections each listener has at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Connections {
    pub(crate) public: usize,
    pub(crate) internal: usize,
}

/// As many connections as `limits` ask for, after the soft limit of descriptors was raised towards the hard one; fewer where
/// the system has no descriptors for them, which is said.
pub(crate) fn connections(limits: &Limits) -> Connections {
    let required =
        u64::from(limits.public_connections) + u64::from(limits.internal_connections) + RESERVED_DESCRIPTORS;
    let have = raise_soft_limit(required);
    let granted = share(limits, have);
    if have.is_some_and(|have| have < required) {
        tracing::warn!(
            "The system grants this process {} open files, so that it takes {} connections from the public and {} inside: \
             raise the limit (ulimit -n, LimitNOFILE=) to {required}",
            have.unwrap_or_default(),
            granted.public,
            granted.internal,
        );
    }
    granted
}

/// The limit of descriptors, raised as far as it is needed and possible; none: there is no limit.
fn raise_soft_limit(required: u64) -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let soft = current?;
    let target = required.min(DESCRIPTORS_MAX).min(maximum.unwrap_or(u64::MAX));
    if soft >= target {
        return Some(soft);
    }
    match setrlimit(Resource::Nofile, Rlimit { current: Some(target), maximum }) {
        Ok(()) => Some(target),
        Err(error) => {
            tracing::warn!("The limit of open files stays at {soft} ({error})");
            Some(soft)
        }
    }
}

/// What `have` descriptors come to: each listener its share, so that neither takes what the other needs.
fn share(limits: &Limits, have: Option<u64>) -> Connections {
    let (public, internal) = (u64::from(limits.public_connections), u64::from(limits.internal_connections));
    let free = have.map_or(u64::MAX, |have| have.saturating_sub(RESERVED_DESCRIPTORS).max(have / 2));
    let (public, internal) = if public + internal <= free {
        (public, internal)
    } else {
        // Never less than one in four for the internal one, unless it asks for less.
        let inside = internal.min((free / 4).max(1));
        (public.min(free.saturating_sub(inside).max(1)), inside)
    };
    let count = |connections: u64| usize::try_from(connections).unwrap_or(usize::MAX);
    Connections { public: count(public), internal: count(internal) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(public_connections: u32, internal_connections: u32) -> Limits {
        Limits { public_connections, internal_connections, ..Limits::default() }
    }

    #[test]
    fn both_listeners_have_places_however_few_descriptors_there_are() {
        let share_of = |have| share(&limits(4096, 1024), have);
        assert_eq!(share_of(None), Connections { public: 4096, internal: 1024 });
        assert_eq!(share_of(Some(10_000)), Connections { public: 4096, internal: 1024 });
        assert_eq!(share_of(Some(1_024)), Connections { public: 384, internal: 128 });
        assert_eq!(share_of(Some(64)), Connections { public: 24, internal: 8 });
        assert_eq!(share_of(Some(0)), Connections { public: 1, internal: 1 });
    }

    #[test]
    fn the_soft_limit_is_raised() {
        assert!(raise_soft_limit(256).is_none_or(|have| have >= 256));
    }
}
