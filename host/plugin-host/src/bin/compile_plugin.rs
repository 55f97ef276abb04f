//! The compiler alone, as `gateway __compile-plugin` runs it: for tests, and for programs that embed the plugin host.

use std::process::ExitCode;

fn main() -> ExitCode {
    gateway_plugin_host::compile_child(std::env::args_os().skip(1))
}
