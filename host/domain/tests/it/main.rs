//! The rules of invoicing, driven from outside the crate: forms, figures, states, and what is given back.

#![cfg(test)]

mod credit;
mod form;
mod lifecycle;
mod totals;
