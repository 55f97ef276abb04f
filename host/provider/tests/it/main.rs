//! The adapter over real sockets.

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod invoicing;
#[cfg(test)]
mod peer;
