//! What a plugin's author works with, offline: a plugin to start from, its build, its golden cases in the gateway's own host
//! code, its signature. Each is a command of the binary, which parses what is typed (`gateway-cli`) and calls it.
//!
//! | module | command |
//! |---|---|
//! | `new`, `template` | `gateway plugin new`: the template of this tree under the author's name |
//! | `build` | `gateway plugin build`: the crate as a component |
//! | `test`, `suite`, `folder`, `report` | `gateway plugin test`: golden cases, and what is printed of them |
//! | `payloads` | `gateway plugin test --payloads`: what goes over the wire for cases and samples |
//! | `watch` | `gateway plugin watch`: build and test at every change, and put the plugin where a gateway takes it |
//! | `inspect` | `gateway plugin inspect`: what a component is |
//! | `sign` | `gateway plugin keygen` and `gateway plugin sign` |
//!
//! Not here: arguments, the registry of a gateway and its database. [`watch`] calls whoever installs into it.

mod build;
mod difference;
mod folder;
mod inspect;
mod new;
mod offline;
mod package_name;
mod payloads;
mod progress;
mod report;
mod sign;
mod suite;
mod template;
mod test;
mod trace;
mod watch;

pub use build::run as build;
pub use inspect::run as inspect;
pub use new::{Language, run as new};
pub use package_name::PackageName;
pub use sign::{keygen, sign};
pub use test::run as test;
pub use watch::{Destination, WatchOptions, run as watch};
