//! `gateway completions` and `gateway man`: what shells and `man` know of the command line, made from its own description.

use crate::args;
use clap_complete::Shell;
use gateway_domain_input::unreadable;
use gateway_terminal::{Failure, line, note};
use std::path::Path;

/// Writes the completions of a shell to standard output.
pub fn completions(shell: Shell) {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "gateway", &mut script);
    line(String::from_utf8_lossy(&script).trim_end());
}

/// Writes a page for each command into a folder: `gateway.1`, `gateway-invoice-list.1` and so on.
pub fn man_pages(folder: &Path) -> Result<(), Failure> {
    let refused = |error: std::io::Error| {
        Failure::refused(format!("no pages can be written to {} ({})", folder.display(), unreadable(&error)))
    };
    std::fs::create_dir_all(folder).map_err(refused)?;
    clap_mangen::generate_to(args::command(), folder).map_err(refused)?;
    note(&format!("The pages are in {0}: read one with 'man {0}/gateway.1'", folder.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        man_pages(folder.path()).unwrap();
        for page in [
            "gateway.1",
            "gateway-invoice-list.1",
            "gateway-plugin-activate.1",
            "gateway-keys-rotate-master.1",
        ] {
            let text = std::fs::read_to_string(folder.path().join(page)).expect(page);
            assert!(text.contains(".SH NAME"), "{page}: {text}");
        }
        let file = folder.path().join("gateway.1");
        assert!(
            man_pages(&file.join("below"))
                .unwrap_err()
                .to_string()
                .starts_with("no pages can be written to ")
        );
    }
}
