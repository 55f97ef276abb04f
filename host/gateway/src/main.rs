//! The gateway's one binary; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    gateway::main()
}
