//! The demonstration's data: the same lines at every call, fit for an import. Two workspaces with 150 units each, 60
//! product groups, and a year of bookings, each of a product that is sold in its unit and for its dates; and the same
//! with fewer units, for tests.

mod line;
mod names;
mod random;

use gateway_domain_platform::catalog::ContractWindow;
use jiff::ToSpan;
use jiff::civil::{Date, date};
use line::{Address, Contact, Guests, Line, MediaItem, Publishing, RoleBinding};
use names::{
    AMENITIES, FEATURES, MESSAGES, NAMES, PAYMENTS, PLATFORMS, SEGMENTS, STREETS, TASK_KINDS, TEAMS, TOWNS,
    UNIT_TYPES, VETTINGS,
};
use random::Random;
use uuid::Uuid;

/// The first workspace of the data; the demonstration issues its invoices.
pub const WORKSPACE: &str = "Demo apartments";
/// Its tax identifier: well formed, and nobody's.
pub const TAX_ID: &str = "B00000000";

/// The first night there is a booking for.
const FIRST: Date = date(2026, 9, 1);
/// The last day of departure.
const LAST: Date = date(2027, 8, 31);
/// The day the data was taken: stays before it are over.
const SAMPLE_DAY: Date = date(2026, 11, 20);
const WORKSPACES: [i64; 2] = [1, 2];
const BUILDINGS: u64 = 5;
const TYPES_OF_BUILDING: u64 = 3;
const UNITS: u64 = 150;
#[cfg(any(test, feature = "testing"))]
const FEW_UNITS: u64 = 10;
const GROUPS: u64 = 30;
const PRODUCTS_OF_GROUP: u64 = 3;
/// A product is sold in every sixth unit; two groups together are sold in all.
const SHARES: u64 = 6;
const USERS: u64 = 24;
const TASKS: u64 = 300;

/// The kinds of id; each kind of thing has a range of its own.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Amenity = 1,
    Team,
    User,
    Building,
    UnitType,
    Unit,
    MediaItem,
    Group,
    Product,
    Plan,
    Tariff,
    Booking,
    Conversation,
    Message,
    Task,
}

/// The same id for the same thing, for ever; laid out as version 7.
fn id(of: Kind, index: u64) -> Uuid {
    let kind = u128::from(of as u8);
    Uuid::from_u128((kind << 96) | (0x7000 << 64) | (0x8000 << 48) | u128::from(index))
}

fn pick<T: Copy>(list: &[T], index: u64) -> Option<T> {
    let length = u64::try_from(list.len()).ok().filter(|length| *length > 0)?;
    list.get(usize::try_from(index % length).ok()?).copied()
}

fn after(day: Date, days: u64) -> Date {
    day.saturating_add(i64::try_from(days).unwrap_or_default().days())
}

/// The lines, in an order in which every one refers to earlier ones only.
pub fn lines() -> impl Iterator<Item = serde_json::Result<String>> {
    of_units(UNITS)
}

/// The same with ten units in each workspace; for tests, which import it in a moment.
#[cfg(any(test, feature = "testing"))]
pub fn few_lines() -> impl Iterator<Item = serde_json::Result<String>> {
    of_units(FEW_UNITS)
}

fn of_units(units: u64) -> impl Iterator<Item = serde_json::Result<String>> {
    let mut sample = Sample {
        units,
        random: Random::new(0x0067_6174_6577_6179),
        lines: Vec::new(),
        products: Vec::new(),
        bookings: 0,
    };
    sample.write();
    sample.lines.into_iter().map(|line| serde_json::to_string(&line))
}

struct Sample {
    /// Of each workspace.
    units: u64,
    random: Random,
    lines: Vec<Line>,
    products: Vec<SampleProduct>,
    bookings: u64,
}

/// A product, and what can be booked of it.
struct SampleProduct {
    product: u64,
    place: u64,
    share: u64,
    for_students: bool,
    window: ContractWindow,
}

impl SampleProduct {
    fn is_sold(&self, place: u64, unit: u64, (check_in, check_out): Stay) -> bool {
        (self.place, self.share) == (place, unit % SHARES) && self.window.admits(check_in, check_out).is_ok()
    }
}

/// From check-in to check-out.
type Stay = (Date, Date);

impl Sample {
    fn write(&mut self) {
        self.workspaces();
        for (index, name) in (0..).zip(AMENITIES) {
            self.lines.push(Line::Amenity { id: id(Kind::Amenity, index), name });
        }
        for place in 0..u64::try_from(WORKSPACES.len()).unwrap_or_default() {
            self.spaces(place);
            self.catalog(place);
            self.pricing(place);
            self.bookings(place);
        }
        self.people();
        self.tasks();
    }

    fn workspaces(&mut self) {
        let address = Address {
            street: "Calle de Ejemplo 1".to_owned(),
            locality: "Madrid",
            region: "Madrid",
            postcode: "28013",
            country: "ES",
        };
        self.lines.push(Line::Workspace {
            id: 1,
            name: WORKSPACE,
            slug: "demo-apartments",
            status: "ACTIVE",
            logo_url: "https://demo.example/apartments.svg",
            legal_name: "Apartamentos de Ejemplo SL",
            tax_id: TAX_ID,
            country: "ES",
            time_zone: "Europe/Madrid",
            address: address.clone(),
        });
        self.lines.push(Line::Workspace {
            id: 2,
            name: "Demo residences",
            slug: "demo-residences",
            status: "ACTIVE",
            logo_url: "https://demo.example/residences.svg",
            legal_name: "Residencias de Ejemplo SL",
            tax_id: "B00000018",
            country: "ES",
            time_zone: "Europe/Madrid",
            address,
        });
    }

    fn workspace(place: u64) -> i64 {
        pick(&WORKSPACES, place).unwrap_or(1)
    }

    fn spaces(&mut self, place: u64) {
        let workspace = Self::workspace(place);
        for n in 0..BUILDINGS {
            let building = place * BUILDINGS + n;
            let (locality, region, postcode) = pick(&TOWNS, n).unwrap_or_default();
            let street = format!("{} {}", pick(&STREETS, n).unwrap_or_default(), 3 + 4 * n + place);
            self.lines.push(Line::Building {
                id: id(Kind::Building, building),
                workspace_id: workspace,
                name: format!("{locality} {}", place + 1),
                address: Address { street, locality, region, postcode, country: "ES" },
            });
            for (kind, (code, name)) in (0_u64..).zip(UNIT_TYPES) {
                self.lines.push(Line::UnitType {
                    id: id(Kind::UnitType, building * TYPES_OF_BUILDING + kind),
                    workspace_id: workspace,
                    building_id: id(Kind::Building, building),
                    code: format!("{postcode}-{code}"),
                    name,
                });
            }
        }
        for n in 0..self.units {
            self.unit(place, n);
        }
    }

    fn unit(&mut self, place: u64, n: u64) {
        let unit = place * self.units + n;
        let building = place * BUILDINGS + n % BUILDINGS;
        let kind = (n / BUILDINGS) % TYPES_OF_BUILDING;
        let first_amenity = self.random.below(12);
        let amenities: Vec<Uuid> =
            (0..=3 + self.random.below(3)).map(|k| id(Kind::Amenity, (first_amenity + 5 * k) % 12)).collect();
        let media_items = (0..2).map(|k| MediaItem {
            id: id(Kind::MediaItem, 2 * unit + k),
            url: format!("https://demo.example/units/{unit}/{k}.jpg"),
        });
        self.lines.push(Line::Unit {
            id: id(Kind::Unit, unit),
            workspace_id: Self::workspace(place),
            unit_type_id: id(Kind::UnitType, building * TYPES_OF_BUILDING + kind),
            code: format!("{}{:03}", pick(&["A", "R"], place).unwrap_or_default(), n + 1),
            status: if n % 10 == 9 { "INACTIVE" } else { "ACTIVE" },
            number_of_bedrooms: kind,
            number_of_bathrooms: 1 + kind / 2,
            size_in_sqm: 24 + 14 * kind + self.random.below(10),
            amenity_ids: amenities,
            features: pick(&FEATURES, n).unwrap_or_default(),
            media_items: media_items.collect(),
        });
    }

    fn catalog(&mut self, place: u64) {
        let workspace = Self::workspace(place);
        for n in 0..GROUPS {
            let group = place * GROUPS + n;
            let year = 2025 + i16::try_from(n % 3).unwrap_or_default();
            let next = year + 1;
            let segment = pick(&SEGMENTS, n / 3).flatten();
            // Short stays may begin and end on any day of the year; students come in autumn and leave in summer.
            let (latest_start, earliest_end) = match segment {
                None => (date(next, 8, 30), date(year, 9, 2)),
                Some(_) => (date(year, 10, 15), date(next, 6, 1)),
            };
            let (first, last) = (date(year, 9, 1), date(next, 8, 31));
            let end_date = (n % 4 != 3).then(|| date(next, 7, 31));
            let place_code = pick(&["APT", "RES"], place).unwrap_or_default();
            self.lines.push(Line::ProductGroup {
                id: id(Kind::Group, group),
                workspace_id: workspace,
                internal_reference: format!("{place_code}-{year}-{:02}", n + 1),
                contract_earliest_start_date: first,
                contract_latest_start_date: latest_start,
                contract_earliest_end_date: earliest_end,
                contract_latest_end_date: last,
                academic_year: format!("{year}/{next}"),
                product_segment: segment,
                state: if n % 5 == 4 { "INACTIVE" } else { "ACTIVE" },
                publishing: Publishing { start_date: date(year, 3, 1), end_date },
                default_expiry_duration_in_seconds: 172_800,
                allow_booking_expiry_timer: n % 2 == 0,
                requires_cancelation_policy: n % 3 == 0,
            });
            if let Ok(window) = ContractWindow::new(first, latest_start, earliest_end, last) {
                self.products(place, n, segment.is_some(), window);
            }
        }
    }

    /// The products of a group of a workspace.
    fn products(&mut self, place: u64, n: u64, for_students: bool, window: ContractWindow) {
        let group = place * GROUPS + n;
        for (k, level) in (0..PRODUCTS_OF_GROUP).zip(["Basic", "Comfort", "Premium"]) {
            let product = group * PRODUCTS_OF_GROUP + k;
            let share = (n / SHARES % 2) * PRODUCTS_OF_GROUP + k;
            let units = (0..self.units).filter(|unit| unit % SHARES == share);
            let units: Vec<Uuid> = units.map(|unit| id(Kind::Unit, place * self.units + unit)).collect();
            self.lines.push(Line::Product {
                id: id(Kind::Product, product),
                workspace_id: Self::workspace(place),
                product_group_id: id(Kind::Group, group),
                name: format!("{level} {}", n + 1),
                unit_ids: units,
            });
            self.products.push(SampleProduct { product, place, share, for_students, window });
        }
    }

    fn pricing(&mut self, place: u64) {
        let plans: Vec<(u64, u64)> =
            (0..self.units).map(|n| (place * self.units + n, 40 + self.random.below(80))).collect();
        for (unit, _) in &plans {
            self.lines.push(Line::RatePlan {
                id: id(Kind::Plan, *unit),
                workspace_id: Self::workspace(place),
                unit_id: id(Kind::Unit, *unit),
                name: "Flexible",
                currency: "EUR",
                min_stay: 1 + unit % 3,
            });
        }
        let seasons =
            [(FIRST, 110), (date(2026, 11, 1), 90), (date(2027, 3, 1), 100), (date(2027, 6, 1), 130)];
        let ends = [date(2026, 10, 31), date(2027, 2, 28), date(2027, 5, 31), LAST];
        for (unit, base) in plans {
            for (season, ((start, percent), end)) in (0..).zip(seasons.iter().zip(ends)) {
                let price = format!("{}.{:02}", base * percent / 100, base * percent % 100);
                self.lines.push(Line::Tariff {
                    id: id(Kind::Tariff, 4 * unit + season),
                    rate_plan_id: id(Kind::Plan, unit),
                    start_date: *start,
                    end_date: end,
                    price,
                });
            }
        }
    }

    fn bookings(&mut self, place: u64) {
        let mut conversations = Vec::new();
        for n in 0..self.units {
            let mut free = after(FIRST, self.random.below(12));
            if n % 10 == 0 {
                // A student comes for the academic year.
                let stay = (free, after(date(2027, 6, 1), self.random.below(60)));
                conversations.extend(self.booking(place, n, stay, false));
                free = stay.1;
            }
            loop {
                let check_in = after(free, self.random.below(12));
                let check_out = after(check_in, 2 + self.random.below(24));
                if check_out > LAST {
                    break;
                }
                // What takes no night may lie on anything.
                let idle = self.random.below(8) == 0;
                let booking = self.booking(place, n, (check_in, check_out), idle);
                if self.random.below(4) == 0 {
                    conversations.extend(booking);
                }
                if !idle {
                    free = check_out;
                }
            }
        }
        for (n, booking) in (0_u64..).zip(conversations) {
            let conversation = 10_000 * place + n;
            self.lines.push(Line::Conversation {
                id: id(Kind::Conversation, conversation),
                workspace_id: Self::workspace(place),
                booking_id: id(Kind::Booking, booking),
            });
            for (k, (source, body)) in (0..).zip(MESSAGES) {
                self.lines.push(Line::Message {
                    id: id(Kind::Message, 2 * conversation + k),
                    conversation_id: id(Kind::Conversation, conversation),
                    body,
                    content_type: "text/plain",
                    source,
                    sent_at: format!("2026-11-{:02}T{:02}:{:02}:00Z", 1 + n % 19, 8 + k, n % 60),
                });
            }
        }
    }

    /// One booking of unit `n` of a workspace, as a product that is sold there for these dates; says its number.
    fn booking(&mut self, place: u64, n: u64, stay: Stay, idle: bool) -> Option<u64> {
        let offered = || self.products.iter().filter(|product| product.is_sold(place, n, stay));
        // Whoever stays for the academic year has a product for students, where there is one.
        let for_students = offered().any(|product| product.for_students);
        let of_audience = offered().filter(|product| product.for_students == for_students);
        let products: Vec<u64> = of_audience.map(|product| product.product).collect();
        let product = id(Kind::Product, pick(&products, self.random.below(60))?);
        let (unit, (check_in, check_out)) = (id(Kind::Unit, place * self.units + n), stay);
        let booking = self.bookings;
        self.bookings += 1;
        let status = match idle {
            true => pick(&["CANCELLED", "EXPIRED", "ENQUIRY"], booking).unwrap_or_default(),
            false if check_out <= SAMPLE_DAY => "CHECKED_OUT",
            false if check_in <= SAMPLE_DAY => "CHECKED_IN",
            false => pick(&["CONFIRMED", "CONFIRMED", "CONFIRMED", "PENDING"], booking).unwrap_or_default(),
        };
        let name = pick(&NAMES, self.random.below(12)).unwrap_or_default();
        self.lines.push(Line::Booking {
            id: id(Kind::Booking, booking),
            workspace_id: Self::workspace(place),
            unit_id: unit,
            product_id: product,
            confirmation_code: format!("DEMO{booking:06}"),
            status,
            check_in,
            check_out,
            guests: Guests { adults: 1 + self.random.below(3), children: self.random.below(2) },
            contacts: [Contact {
                name,
                email: format!("guest{booking}@demo.example"),
                phone: format!("+34600{booking:06}"),
            }],
            platform: pick(&PLATFORMS, self.random.below(4)),
            payment_status: pick(&PAYMENTS, self.random.below(3)),
            vetting_status: pick(&VETTINGS, self.random.below(5)),
        });
        Some(booking)
    }

    fn people(&mut self) {
        for (index, name) in (0..).zip(TEAMS) {
            self.lines.push(Line::Team { id: id(Kind::Team, index), name });
        }
        for n in 0..USERS {
            let name = pick(&NAMES, n).unwrap_or_default();
            let nickname = name.split(' ').next().unwrap_or_default();
            let bindings = (0..2).filter(|place| n % 3 == 2 || n % 3 == *place).map(|place| RoleBinding {
                workspace_id: Self::workspace(place),
                roles: [pick(&["agent", "manager"], n)],
            });
            self.lines.push(Line::User {
                id: id(Kind::User, n),
                email: format!("user{n}@demo.example"),
                name,
                nickname,
                status: if n % 8 == 7 { "INACTIVE" } else { "ACTIVE" },
                joined_at: format!("2026-{:02}-01T09:00:00Z", 1 + n % 10),
                role_bindings: bindings.collect(),
                team_ids: [id(Kind::Team, n % 4)],
            });
        }
    }

    fn tasks(&mut self) {
        for n in 0..2 * TASKS {
            let place = n / TASKS;
            let (kind, title, hours) = pick(&TASK_KINDS, n).unwrap_or_default();
            let unit = place * self.units + n % self.units;
            self.lines.push(Line::Task {
                id: id(Kind::Task, n),
                workspace_id: Self::workspace(place),
                title,
                r#type: kind,
                due_date: after(SAMPLE_DAY, self.random.below(60)),
                start_time: format!("{:02}:00:00", 8 + n % 10),
                estimated_duration_hours: hours,
                notes: (n % 5 == 0).then_some("Ask at the reception."),
                unit_id: id(Kind::Unit, unit),
                booking_id: None,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::{HashMap, HashSet};

    #[test]
    fn the_data_is_the_same_at_every_call() {
        let all = || lines().collect::<Result<Vec<_>, _>>().unwrap();
        let (one, other) = (all(), all());
        assert_eq!(one, other);
        let kind =
            |line: &String| serde_json::from_str::<Value>(line).unwrap()["kind"].as_str().unwrap().to_owned();
        let count = |expected: &str| one.iter().filter(|line| kind(line) == expected).count();
        assert_eq!((count("workspace"), count("unit"), count("product_group")), (2, 300, 60));
        assert!(count("booking") > 3_000, "{}", count("booking"));
    }

    #[test]
    fn every_booking_is_of_a_product_that_is_sold_in_its_unit_for_its_dates() {
        for lines in [lines().collect::<Result<Vec<_>, _>>(), few_lines().collect()] {
            let lines = lines.unwrap();
            let lines: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
            let of = |kind: &'static str| lines.iter().filter(move |line| line["kind"] == kind);
            let by_id = |kind: &'static str| of(kind).map(|line| (line["id"].to_string(), line)).collect();
            let (groups, products): (HashMap<_, _>, HashMap<_, _>) =
                (by_id("product_group"), by_id("product"));
            let day = |value: &Value| value.as_str().unwrap().parse::<Date>().unwrap();
            for booking in of("booking") {
                let product = products[&booking["product_id"].to_string()];
                assert!(product["unit_ids"].as_array().unwrap().contains(&booking["unit_id"]), "{booking}");
                let group = groups[&product["product_group_id"].to_string()];
                let bound = |name: &str| day(&group[format!("contract_{name}_date")]);
                let starts = bound("earliest_start")..=bound("latest_start");
                let ends = bound("earliest_end")..=bound("latest_end");
                assert!(starts.contains(&day(&booking["check_in"])), "{booking} {group}");
                assert!(ends.contains(&day(&booking["check_out"])), "{booking} {group}");
            }
            let segments: HashSet<String> = of("booking")
                .map(|booking| &products[&booking["product_id"].to_string()]["product_group_id"])
                .map(|group| groups[&group.to_string()]["product_segment"].to_string())
                .collect();
            assert!(segments.len() > 1, "short stays and students: {segments:?}");
        }
    }
}
