//! Compiles again when a migration is added: the folders are embedded by a macro that cargo cannot see into.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
