//! Addresses as others write them.

use gateway_terminal::Failure;
use url::Url;

/// A bound address as this process reaches it: "any address" is this machine.
pub fn reachable(url: &str) -> Result<Url, Failure> {
    let written = url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
    // "Any address" of IPv4, as a socket of IPv6 has it.
    Ok(written.replace("//[::ffff:0.0.0.0]:", "//127.0.0.1:").parse::<Url>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_address_is_reached_on_this_machine() {
        assert_eq!(reachable("http://0.0.0.0:8080").unwrap().as_str(), "http://127.0.0.1:8080/");
        assert_eq!(reachable("http://[::]:8080").unwrap().as_str(), "http://[::1]:8080/");
        assert_eq!(reachable("http://[::ffff:0.0.0.0]:1").unwrap().as_str(), "http://127.0.0.1:1/");
        assert_eq!(reachable("http://10.0.0.1:1").unwrap().as_str(), "http://10.0.0.1:1/");
    }
}
