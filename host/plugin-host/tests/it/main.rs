//! The plugin host against plugins that behave, and against plugins that do not.

mod behaving;
mod hostile;
mod refused;
mod swapping;
mod verifactu;
mod world;
