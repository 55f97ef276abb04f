//! Chance that can be repeated: every decision comes from the run's seed.

/// SplitMix64: small, fast, and the same everywhere.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Another one for a part of the run, which the others do not disturb.
    pub(super) fn branch(&self, name: &str, number: u64) -> Self {
        let mixed = name.bytes().fold(self.0 ^ number.rotate_left(32), |mixed, byte| {
            (mixed ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut branch = Self(mixed);
        branch.next();
        branch
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 up to but without `end`.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// Milliseconds between two bounds.
    pub(super) fn between(&mut self, low_ms: u64, high_ms: u64) -> std::time::Duration {
        std::time::Duration::from_millis(low_ms + self.below(high_ms.saturating_sub(low_ms)))
    }

    /// True so often in a thousand.
    pub(super) fn chance(&mut self, of_thousand: u64) -> bool {
        self.below(1000) < of_thousand
    }

    /// One of several.
    pub(super) fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        let index = self.below(u64::try_from(of.len()).unwrap_or(u64::MAX));
        of.get(usize::try_from(index).unwrap_or(0))
    }

    /// An identifier as the provider wants them: version 7.
    pub(super) fn uuid(&mut self) -> String {
        let (high, low) = (self.next(), self.next());
        format!(
            "0193{:04x}-{:04x}-7{:03x}-8{:03x}-{:012x}",
            high & 0xffff,
            (high >> 16) & 0xffff,
            (high >> 32) & 0xfff,
            (high >> 48) & 0xfff,
            low & 0xffff_ffff_ffff
        )
    }
}
