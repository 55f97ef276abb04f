//! The adapter over real sockets.

#[cfg(test)]
mod hostile;
