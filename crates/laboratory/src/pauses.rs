//! Pauses: stretches of the wall clock in which the disk stands still. Everything else reckons in the time that it works.

use plimsoll_engine::clock::ns_from_s;

/// From the moment `every_ns` on, the disk stands still for `pause_ns` at the beginning of each `every_ns`.
#[derive(Debug, Clone, Copy)]
pub struct Pauses {
    every_ns: u64,
    pause_ns: u64,
}

impl Pauses {
    /// Both in seconds; without `every_s` there are none. `pause_s` is shorter than `every_s`.
    pub fn new(every_s: Option<f64>, pause_s: f64) -> Self {
        match every_s {
            Some(every_s) => Self { every_ns: ns_from_s(every_s).max(2), pause_ns: ns_from_s(pause_s) },
            None => Self { every_ns: u64::MAX, pause_ns: 0 },
        }
    }

    /// How long the disk has worked at a moment of the clock.
    pub fn worked_ns(&self, clock_ns: u64) -> u64 {
        let Some(since_ns) = clock_ns.checked_sub(self.every_ns) else { return clock_ns };
        let (whole, within_ns) = (since_ns / self.every_ns, since_ns % self.every_ns);
        clock_ns - whole * self.pause_ns - within_ns.min(self.pause_ns)
    }

    /// The moment of the clock at which the disk has worked for so long; before a pause where either end of it would do.
    pub fn clock_ns(&self, worked_ns: u64) -> u64 {
        let Some(since_ns) = worked_ns.checked_sub(self.every_ns).filter(|&since_ns| since_ns > 0) else {
            return worked_ns;
        };
        let works_ns = self.every_ns - self.pause_ns.min(self.every_ns - 1);
        let pauses = (since_ns - 1) / works_ns + 1;
        worked_ns.saturating_add(pauses.saturating_mul(self.pause_ns))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_pause_comes_after_the_first_stretch() {
        let pauses = Pauses::new(Some(10.0), 2.0);
        let s = |seconds| ns_from_s(seconds);
        assert_eq!(pauses.worked_ns(s(9.0)), s(9.0));
        assert_eq!(pauses.worked_ns(s(11.0)), s(10.0));
        assert_eq!(pauses.worked_ns(s(13.0)), s(11.0));
        assert_eq!(pauses.worked_ns(s(23.0)), s(19.0));
        assert_eq!(pauses.clock_ns(s(11.0)), s(13.0));
        assert_eq!(pauses.clock_ns(s(19.0)), s(23.0));
    }

    proptest! {
        #[test]
        fn both_ways_agree(every_ns in 2u64..1_000_000, pause_share in 0.0f64..0.99, worked_ns in 0u64..1 << 40) {
            let pause_ns = ((every_ns as f64 * pause_share) as u64).min(every_ns - 1);
            let pauses = Pauses { every_ns, pause_ns };
            let clock_ns = pauses.clock_ns(worked_ns);
            prop_assert_eq!(pauses.worked_ns(clock_ns), worked_ns);
            prop_assert!(clock_ns >= worked_ns);
            prop_assert!(pauses.worked_ns(clock_ns + 1) <= worked_ns + 1);
        }
    }
}
