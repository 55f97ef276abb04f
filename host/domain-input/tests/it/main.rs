//! Documents as clients send them, checked from outside the crate.

#![cfg(test)]

mod form;
