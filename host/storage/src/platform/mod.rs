//! What the platform keeps: catalog, spaces, prices, bookings with what is written and done about them, and people.

pub mod accounts;
pub mod bookings;
pub mod conversations;
pub mod guest_verifications;
pub mod product_groups;
pub mod products;
pub mod profiles;
pub mod rate_writes;
pub mod rates;
pub mod references;
pub mod spaces;
pub mod tasks;
pub mod units;
