//! Notices by mail on both databases, with a clock that stands still and a transport that follows a script.

#![cfg(test)]

mod mailing;
mod world;
