//! Charts as paths of SVG: bars and lines over time, without a script, and the times below them.

use jiff::{SignedDuration, Timestamp};
use std::fmt::Write as _;
use std::iter;

/// The drawing area, in units of the picture: whole ones for each quarter of an hour of a day, and for each quarter of a day of a month.
pub const WIDTH: i64 = 960;
/// The same from top to bottom.
pub const HEIGHT: i64 = 120;

/// A time that a chart shows, in steps of equal length.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// Where the first step begins.
    pub from: Timestamp,
    /// How long each is.
    pub step: SignedDuration,
    /// How many there are.
    pub steps: usize,
}

impl Span {
    /// Up to now, in whole steps.
    pub fn until(now: Timestamp, step: SignedDuration, steps: usize) -> Self {
        let length = i32::try_from(steps).ok().and_then(|steps| step.checked_mul(steps)).unwrap_or(step);
        let second = now.as_second();
        let end =
            second.saturating_sub(second.rem_euclid(step.as_secs().max(1))).saturating_add(step.as_secs());
        let end = Timestamp::from_second(end).unwrap_or(now);
        Self { from: end.checked_sub(length).unwrap_or(now), step, steps }
    }

    /// In which step a time lies.
    pub fn at(&self, time: Timestamp) -> Option<usize> {
        let since = time.duration_since(self.from).as_secs();
        let step = since.checked_div_euclid(self.step.as_secs())?;
        usize::try_from(step).ok().filter(|step| *step < self.steps)
    }
}

/// Values of each step.
#[derive(Debug, Clone)]
pub struct Series(Vec<i64>);

impl Series {
    /// All 0.
    pub fn of(span: &Span) -> Self {
        Self(vec![0; span.steps])
    }

    /// Adds to the value of a step; one that the chart does not show is passed over.
    pub fn add(&mut self, step: usize, value: i64) {
        if let Some(sum) = self.0.get_mut(step) {
            *sum = sum.saturating_add(value);
        }
    }

    /// All values together.
    pub fn sum(&self) -> i64 {
        self.0.iter().fold(0, |sum, value| sum.saturating_add(*value))
    }

    /// The greatest value.
    pub fn most(&self) -> i64 {
        self.0.iter().copied().max().unwrap_or_default()
    }

    /// Each divided by another one; 0 where that is 0.
    #[must_use]
    pub fn over(&self, other: &Self) -> Self {
        Self(
            self.0
                .iter()
                .zip(&other.0)
                .map(|(sum, count)| sum.checked_div(*count).unwrap_or_default())
                .collect(),
        )
    }

    fn width(&self) -> i64 {
        WIDTH.checked_div(i64::try_from(self.0.len()).unwrap_or(1)).unwrap_or(1).max(1)
    }
}

/// A time below a chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AxisLabel {
    /// How far from the left side: `25.0%`.
    pub x: String,
    /// The hour or the day, UTC.
    pub text: String,
}

const HOUR_S: i64 = 3_600;
const DAY_S: i64 = 24 * HOUR_S;
/// Thousandths of the width at either side that have no label, which would be cut off there.
const EDGE: i64 = 50;

/// The times below a chart: hours of a span of at most two days, days of a longer one.
pub fn axis(span: &Span) -> Vec<AxisLabel> {
    let steps = i64::try_from(span.steps).unwrap_or(i64::MAX);
    let length = span.step.as_secs().saturating_mul(steps).max(1);
    let (every, form) = if length > 2 * DAY_S { (5 * DAY_S, "%-d %b") } else { (4 * HOUR_S, "%H:%M") };
    let from = span.from.as_second();
    let end = from.saturating_add(length);
    let first = from.saturating_sub(from.rem_euclid(every)).saturating_add(every);
    let times = iter::successors(Some(first), |at| at.checked_add(every)).take_while(|at| *at < end);
    let label = |at: i64| {
        let thousandths = at.saturating_sub(from).saturating_mul(1_000).checked_div(length)?;
        let text = Timestamp::from_second(at).ok()?.strftime(form).to_string();
        let x = format!("{}.{}%", thousandths / 10, thousandths % 10);
        (EDGE..=1_000 - EDGE).contains(&thousandths).then_some(AxisLabel { x, text })
    };
    times.filter_map(label).collect()
}

fn height(value: i64, most: i64) -> i64 {
    value.saturating_mul(HEIGHT).checked_div(most.max(1)).unwrap_or_default().clamp(0, HEIGHT)
}

/// Bars that stand on others, of which `below` are already drawn; `most` is the greatest sum.
pub fn bars(series: &Series, below: Option<&Series>, most: i64) -> String {
    let (width, mut path) = (series.width(), String::new());
    for (at, value) in series.0.iter().enumerate().filter(|(_, value)| **value > 0) {
        let under = below.and_then(|below| below.0.get(at)).map_or(0, |below| height(*below, most));
        // What happened at all is seen.
        let tall = height(*value, most).max(1);
        let left = i64::try_from(at).unwrap_or_default().saturating_mul(width);
        let top = HEIGHT.saturating_sub(under).saturating_sub(tall);
        // Writing into a string does not fail.
        let _ = write!(
            path,
            "M{left} {top}h{}v{tall}h-{}z",
            width.saturating_sub(1).max(1),
            width.saturating_sub(1).max(1)
        );
    }
    path
}

/// A line through the values; steps without one are passed over.
pub fn line(series: &Series, most: i64) -> String {
    let (width, mut path) = (series.width(), String::new());
    for (at, value) in series.0.iter().enumerate().filter(|(_, value)| **value > 0) {
        let left = i64::try_from(at).unwrap_or_default().saturating_mul(width).saturating_add(width / 2);
        let top = HEIGHT.saturating_sub(height(*value, most));
        let _ = write!(path, "{}{left} {top}", if path.is_empty() { 'M' } else { 'L' });
    }
    path
}

/// The values that have none beside them, which a line shows only as a bend or not at all: lines of no length, which are round
/// where their ends are.
pub fn dots(series: &Series, most: i64) -> String {
    let (width, mut path) = (series.width(), String::new());
    let is_nothing = |at: Option<usize>| at.and_then(|at| series.0.get(at)).is_none_or(|value| *value <= 0);
    for (at, value) in series.0.iter().enumerate().filter(|(_, value)| **value > 0) {
        if is_nothing(at.checked_sub(1)) && is_nothing(at.checked_add(1)) {
            let left = i64::try_from(at).unwrap_or_default().saturating_mul(width).saturating_add(width / 2);
            let _ = write!(path, "M{left} {}h0", HEIGHT.saturating_sub(height(*value, most)));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_drawn_in_its_step_and_to_scale() {
        let span = Span::until("2026-11-20T12:10:00Z".parse().unwrap(), SignedDuration::from_mins(15), 4);
        assert_eq!(span.from, "2026-11-20T11:15:00Z".parse().unwrap());
        assert_eq!(span.at("2026-11-20T12:14:59Z".parse().unwrap()), Some(3));
        assert_eq!(span.at("2026-11-20T11:14:59Z".parse().unwrap()), None);
        assert_eq!(span.at("2026-11-20T12:15:00Z".parse().unwrap()), None);
        let (mut low, mut high) = (Series::of(&span), Series::of(&span));
        low.add(1, 1);
        high.add(1, 2);
        high.add(9, 5);
        assert_eq!(bars(&low, None, 3), "M240 80h239v40h-239z");
        assert_eq!(bars(&high, Some(&low), 3), "M240 0h239v80h-239z");
        assert_eq!((line(&high, 2).as_str(), dots(&high, 2).as_str()), ("M360 0", "M360 0h0"));
        high.add(2, 1);
        assert_eq!((line(&high, 2).as_str(), dots(&high, 2).as_str()), ("M360 0L600 60", ""));
        high.add(2, -1);
        assert_eq!((high.sum(), high.most(), high.over(&low).most()), (2, 2, 2));
    }

    #[test]
    fn hours_of_a_day_and_days_of_a_month_stand_where_they_are_in_the_chart() {
        let now = "2026-11-20T12:10:00Z".parse().unwrap();
        let labels = |step, steps| -> Vec<_> {
            let labels = axis(&Span::until(now, step, steps)).into_iter();
            labels.map(|label| format!("{} {}", label.x, label.text)).collect()
        };
        // From 12:15 of the day before.
        let day = ["15.6% 16:00", "32.2% 20:00", "48.9% 00:00", "65.6% 04:00", "82.2% 08:00"];
        assert_eq!(labels(SignedDuration::from_mins(15), 96), day);
        let month = labels(SignedDuration::from_hours(6), 120);
        assert_eq!(month.len(), 6, "{month:?}");
        assert_eq!(month.first().map(String::as_str), Some("7.5% 24 Oct"), "{month:?}");
        assert_eq!(labels(SignedDuration::from_mins(15), 4), ["75.0% 12:00"]);
    }
}
