//! The plugin host against plugins that behave, and against plugins that do not.

#[cfg(test)]
mod behaving;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod refused;
#[cfg(test)]
mod swapping;
#[cfg(test)]
mod verifactu;
#[cfg(test)]
mod world;
