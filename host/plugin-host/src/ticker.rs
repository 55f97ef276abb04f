//! The clock that guests run by: it advances the engine's epoch while a guest runs, and sleeps while none does.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use wasmtime::Engine;

/// How often the epoch advances.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// The clock of one engine. Its thread ends with it, once no guest runs any more.
#[derive(Debug)]
pub(crate) struct Ticker(Arc<Shared>);

/// What the thread shares with whoever runs guests.
#[derive(Debug, Default)]
struct Shared {
    guests: Mutex<Guests>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Guests {
    running: usize,
    /// No other guest will run.
    ended: bool,
}

impl Shared {
    fn guests(&self) -> MutexGuard<'_, Guests> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a guest runs; false when none ever will.
    fn wait_for_guest(&self) -> bool {
        let idle = |guests: &mut Guests| guests.running == 0 && !guests.ended;
        let waited = self.changed.wait_while(self.guests(), idle);
        waited.unwrap_or_else(PoisonError::into_inner).running > 0
    }
}

/// A guest that runs, or may. Dropped with its store.
#[derive(Debug)]
pub(crate) struct RunningGuest(Arc<Shared>);

impl Ticker {
    /// Starts the thread.
    pub(crate) fn start(engine: &Engine) -> std::io::Result<Self> {
        let (shared, engine) = (Arc::new(Shared::default()), engine.weak());
        let ticking = Arc::clone(&shared);
        let tick = move || {
            while ticking.wait_for_guest() {
                std::thread::sleep(TICK);
                let Some(engine) = engine.upgrade() else { return };
                engine.increment_epoch();
            }
        };
        std::thread::Builder::new().name("plugin-ticker".to_owned()).spawn(tick)?;
        Ok(Self(shared))
    }

    /// Has the epoch advance for as long as what is given back is there.
    pub(crate) fn run_guest(&self) -> RunningGuest {
        let mut guests = self.0.guests();
        guests.running = guests.running.saturating_add(1);
        if guests.running == 1 {
            self.0.changed.notify_one();
        }
        drop(guests);
        RunningGuest(Arc::clone(&self.0))
    }
}

impl Drop for RunningGuest {
    fn drop(&mut self) {
        let mut guests = self.0.guests();
        guests.running = guests.running.saturating_sub(1);
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.0.guests().ended = true;
        self.0.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// Runs the thread's wait elsewhere, and tells what it came to.
    fn waiting(shared: &Arc<Shared>) -> mpsc::Receiver<bool> {
        let (sender, receiver) = mpsc::channel();
        let shared = Arc::clone(shared);
        std::thread::spawn(move || sender.send(shared.wait_for_guest()));
        receiver
    }

    /// Long enough for the thread to tell, if there is anything to tell.
    const MOMENT: Duration = Duration::from_millis(50);

    #[test]
    fn it_waits_until_a_guest_runs_and_ends_when_none_will() {
        let ticker = Ticker(Arc::default());
        let begun = waiting(&ticker.0);
        assert!(begun.recv_timeout(MOMENT).is_err(), "nothing runs");
        let guests = [ticker.run_guest(), ticker.run_guest()];
        assert!(begun.recv().unwrap(), "a guest runs");
        let [one, other] = guests;
        drop(one);
        let shared = Arc::clone(&ticker.0);
        drop(ticker);
        assert!(waiting(&shared).recv().unwrap(), "one still runs");
        drop(other);
        assert!(!waiting(&shared).recv().unwrap(), "none will");
    }

    #[test]
    fn it_waits_again_when_the_last_guest_has_ended() {
        let ticker = Ticker(Arc::default());
        drop([ticker.run_guest(), ticker.run_guest()]);
        let ended = waiting(&ticker.0);
        assert!(ended.recv_timeout(MOMENT).is_err(), "nothing runs any more");
        drop(ticker);
        assert!(!ended.recv().unwrap(), "nobody can run one");
    }
}
