//! The stand-in as its callers see it: real HTTP, a real database, the gateway's own client.

#[cfg(test)]
mod authority;
#[cfg(test)]
mod cards;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod protocol;
#[cfg(test)]
mod restart;
#[cfg(test)]
mod steering;
