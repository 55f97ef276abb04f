//! The chain of records.

use crate::Link;

/// How records hold together of which each carries the hash of the one before: a gateway of release 1.10 proves by it that nothing of
/// what it keeps was changed, left out or put between. A system whose records do not chain does without it.
///
/// ```
/// use einvoice_plugin::{Chain, Link, Predecessor};
/// struct Nowhere;
/// impl Chain for Nowhere {
///     fn links(message: &str) -> Result<Vec<Link>, String> {
///         // number, content, hash of the record before, hash
///         let [number, content, previous, hash] = message.split(' ').collect::<Vec<_>>()[..] else {
///             return Err("a record has four members".to_owned());
///         };
///         let previous = (previous != "-").then(|| {
///             let (number, hash) = previous.split_once('/').unwrap_or_default();
///             Predecessor { number: number.to_owned(), hash: hash.to_owned() }
///         });
///         let computed = format!("{}{}", number.len(), content.len());
///         Ok(vec![Link { number: number.to_owned(), stated: hash.to_owned(), computed, previous }])
///     }
/// }
/// let links = Nowhere::links("N-2 21.00 N-1/35 35").unwrap();
/// assert_eq!((links[0].stated.as_str(), &links[0].computed), ("35", &"35".to_owned()));
/// assert_eq!(links[0].previous.as_ref().unwrap().number, "N-1");
/// ```
pub trait Chain {
    /// The records in a message, byte for byte as it went to the authority: usually one, none where it is of a kind that is not chained,
    /// at most 1000. Numbers and hashes have at most 255 characters.
    /// # Errors
    /// The message is none of this system; one sentence of at most 300 characters.
    fn links(message: &str) -> Result<Vec<Link>, String>;
}
