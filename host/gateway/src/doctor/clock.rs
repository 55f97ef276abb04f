//! Whether the clock of this machine agrees with the provider's.

use super::{Findings, Verdict};
use gateway_outbound::clock_difference_s;
use gateway_provider::{CLOCK_DIFFERENCE_MAX_S, JsonAnswer, differing};
use jiff::Timestamp;

/// An answer of the provider to a call between these times.
pub(super) fn compare(findings: &mut Findings, answer: &JsonAnswer, sent: Timestamp, received: Timestamp) {
    const SUBJECT: &str = "clock";
    let Some(date) = answer.answered_at else {
        let message = "the provider does not say what time it is: have this machine's clock set by NTP";
        return findings.add(SUBJECT, Verdict::Remark, message);
    };
    let difference_s = clock_difference_s(date, sent, received);
    if difference_s.abs() > CLOCK_DIFFERENCE_MAX_S {
        findings.add(SUBJECT, Verdict::Broken, differing(difference_s));
    } else {
        findings.add(SUBJECT, Verdict::Sound, "agrees with the provider's");
    }
}
