//! The rules of invoicing, driven from outside the crate: figures, states, and what is given back.

#![cfg(test)]

mod credit;
mod lifecycle;
mod totals;
