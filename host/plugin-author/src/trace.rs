//! Where a plugin was stopped, as an author reads it beside the case that caused it.

/// How many functions are shown.
const FUNCTIONS_MAX: usize = 8;

/// How functions begin that only carry a panic out: an author wants to know who panicked.
const PANIC_RUNTIME_PREFIXES: [&str; 5] = ["__rust", "rust_", "std::", "core::panicking", "core::result"];

/// The functions in which a plugin was stopped, innermost first, from the one that an author can do something about.
pub(crate) fn functions(stopped_in: &[String]) -> Vec<String> {
    let all: Vec<String> = stopped_in.iter().map(|name| without_hashes(name)).collect();
    let own =
        all.iter().position(|name| !PANIC_RUNTIME_PREFIXES.iter().any(|prefix| name.starts_with(prefix)));
    all.into_iter().skip(own.unwrap_or(0)).take(FUNCTIONS_MAX).collect()
}

/// A name without the compiler's hashes: `core[c5930c85a12de822]::fmt` is `core::fmt`, and so is
/// `core::fmt::h16562ef86d57dfb1`.
fn without_hashes(name: &str) -> String {
    let mut parts = name.split('[');
    let mut cleaned = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((hash, rest)) if hash.len() >= 12 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                cleaned.push_str(rest);
            }
            _ => {
                cleaned.push('[');
                cleaned.push_str(part);
            }
        }
    }
    let hash = |tail: &str| tail.len() == 16 && tail.bytes().all(|byte| byte.is_ascii_hexdigit());
    match cleaned.rsplit_once("::h") {
        Some((name, tail)) if hash(tail) => name.to_owned(),
        _ => cleaned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn functions_of(names: &[&str]) -> Vec<String> {
        functions(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_backtrace_is_read_from_the_innermost_function() {
        let names = ["xx_hello::convert::line", "<wasm function 17>"];
        assert_eq!(functions_of(&names), names);
        assert_eq!(functions_of(&[]), [""; 0]);
    }

    #[test]
    fn who_panicked_comes_first_and_by_name() {
        let names = [
            "__rustc[b7974e8690430dd9]::__rust_abort",
            "std[a543996e6e7dbf1e]::a",
            "xx_hello[0123456789abcdef]::convert::line::<[u8]>",
            "xx_hello::convert::h16562ef86d57dfb1",
        ];
        assert_eq!(functions_of(&names), ["xx_hello::convert::line::<[u8]>", "xx_hello::convert"]);
        assert_eq!(functions_of(&["std[a543996e6e7dbf1e]::a"]), ["std::a"]);
    }
}
