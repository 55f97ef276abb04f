//! What the things of the data are called.

/// The groups of a year in turn; those without a segment are for short stays.
pub(super) const SEGMENTS: [Option<&str>; 10] = [
    None,
    Some("FULL_YEAR"),
    None,
    Some("ACADEMIC_YEAR"),
    None,
    Some("SEMESTER_1"),
    None,
    Some("SEMESTER_2"),
    Some("FULL_YEAR"),
    Some("ACADEMIC_YEAR"),
];
pub(super) const AMENITIES: [&str; 12] = [
    "Wi-Fi",
    "Desk",
    "Kitchen",
    "Washing machine",
    "Dryer",
    "Air conditioning",
    "Heating",
    "Balcony",
    "Lift",
    "Bicycle room",
    "Gym",
    "Terrace",
];
pub(super) const FEATURES: [&[&str]; 3] = [&["quiet"], &["street view", "sunny"], &[]];
pub(super) const TOWNS: [(&str, &str, &str); 5] = [
    ("Madrid", "Madrid", "28013"),
    ("Valencia", "Valencia", "46002"),
    ("Sevilla", "Sevilla", "41004"),
    ("Granada", "Granada", "18009"),
    ("Salamanca", "Salamanca", "37002"),
];
pub(super) const STREETS: [&str; 5] =
    ["Calle Mayor", "Calle del Mar", "Plaza Nueva", "Calle Real", "Rúa Mayor"];
pub(super) const NAMES: [&str; 12] = [
    "Ana García",
    "Luis Pérez",
    "Marta Ruiz",
    "Jane Roe",
    "John Smith",
    "Chiara Rossi",
    "Lena Vogel",
    "Noah Martin",
    "Zofia Nowak",
    "Iker Etxeberria",
    "Núria Puig",
    "Olu Adeyemi",
];
pub(super) const PLATFORMS: [&str; 4] = ["direct", "airbnb", "booking.com", "uniplaces"];
pub(super) const PAYMENTS: [&str; 3] = ["PAID", "PARTIALLY_PAID", "UNPAID"];
pub(super) const VETTINGS: [&str; 5] = ["UNVETTED", "PENDING", "NEEDS_REVIEW", "APPROVED", "FAILED"];
pub(super) const TASK_KINDS: [(&str, &str, &str); 4] = [
    ("cleaning", "Clean after departure", "2"),
    ("inspection", "Look at the flat", "0.5"),
    ("maintenance", "Mend the boiler", "3.5"),
    ("check_in", "Hand over the keys", "0.5"),
];
/// Who writes, and what.
pub(super) const MESSAGES: [(&str, &str); 2] =
    [("guest", "Hello! When can we come?"), ("host", "From 15:00 on. We look forward to seeing you.")];
pub(super) const TEAMS: [&str; 4] = ["Reception", "Housekeeping", "Maintenance", "Finance"];
/// Code and name.
pub(super) const UNIT_TYPES: [(&str, &str); 3] =
    [("STU", "Studio"), ("ONE", "One bedroom"), ("TWO", "Two bedrooms")];
