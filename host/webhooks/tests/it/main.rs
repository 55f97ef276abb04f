//! The webhook sender against real sockets.

#[cfg(test)]
mod calls;
#[cfg(test)]
mod peer;
