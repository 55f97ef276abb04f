//! The plugin host against plugins that behave, and against plugins that do not.

#[cfg(test)]
mod behaving;
#[cfg(test)]
mod breaking;
#[cfg(test)]
mod compiling;
#[cfg(test)]
mod components;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod hosts;
#[cfg(test)]
mod listings;
#[cfg(test)]
mod outside;
#[cfg(test)]
mod refused;
#[cfg(test)]
mod releases;
#[cfg(test)]
mod serving;
#[cfg(test)]
mod swapping;
#[cfg(test)]
mod trying;
#[cfg(test)]
mod verifactu;
