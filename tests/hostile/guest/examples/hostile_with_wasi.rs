//! The component that carries WASI, and reaches for what a plugin may not have when its notes ask for it.

#![cfg(target_family = "wasm")]

use einvoice_plugin::{
    Context, Country, Description, Document, Faults, Identity, Invoice, ProviderResult, Recipient, Verdict,
};
use hostile_plugin::Hostile;

/// A part of WASI 0.2, as far as this plugin reaches.
mod outside {
    einvoice_plugin::wit_bindgen::generate!({
        inline: r#"
            package hostile:guest;
            world reaching {
                import wasi:cli/environment@0.2.0;
                import wasi:cli/exit@0.2.0;
                import wasi:cli/stderr@0.2.0;
                import wasi:cli/stdout@0.2.0;
                import wasi:clocks/monotonic-clock@0.2.0;
                import wasi:clocks/wall-clock@0.2.0;
                import wasi:filesystem/preopens@0.2.0;
                import wasi:random/insecure-seed@0.2.0;
                import wasi:random/random@0.2.0;
                import wasi:sockets/tcp-create-socket@0.2.0;
                import wasi:sockets/udp-create-socket@0.2.0;
            }
            package wasi:cli@0.2.0 {
                interface environment {
                    get-environment: func() -> list<tuple<string, string>>;
                    get-arguments: func() -> list<string>;
                }
                interface exit { exit: func(status: result); }
                interface stderr {
                    use wasi:io/streams@0.2.0.{output-stream};
                    get-stderr: func() -> output-stream;
                }
                interface stdout {
                    use wasi:io/streams@0.2.0.{output-stream};
                    get-stdout: func() -> output-stream;
                }
            }
            package wasi:io@0.2.0 {
                interface error { resource error; }
                interface poll { resource pollable { block: func(); } }
                interface streams {
                    use error.{error};
                    variant stream-error { last-operation-failed(error), closed }
                    resource output-stream {
                        blocking-write-and-flush: func(contents: list<u8>) -> result<_, stream-error>;
                    }
                }
            }
            package wasi:clocks@0.2.0 {
                interface monotonic-clock {
                    use wasi:io/poll@0.2.0.{pollable};
                    type instant = u64;
                    type duration = u64;
                    now: func() -> instant;
                    subscribe-duration: func(when: duration) -> pollable;
                }
                interface wall-clock {
                    record datetime { seconds: u64, nanoseconds: u32 }
                    now: func() -> datetime;
                }
            }
            package wasi:filesystem@0.2.0 {
                interface types { resource descriptor; }
                interface preopens {
                    use types.{descriptor};
                    get-directories: func() -> list<tuple<descriptor, string>>;
                }
            }
            package wasi:random@0.2.0 {
                interface insecure-seed { insecure-seed: func() -> tuple<u64, u64>; }
                interface random {
                    get-random-bytes: func(len: u64) -> list<u8>;
                    get-random-u64: func() -> u64;
                }
            }
            package wasi:sockets@0.2.0 {
                interface network {
                    enum error-code {
                        unknown, access-denied, not-supported, invalid-argument, out-of-memory, timeout,
                        concurrency-conflict, not-in-progress, would-block, invalid-state, new-socket-limit,
                        address-not-bindable, address-in-use, remote-unreachable, connection-refused,
                        connection-reset, connection-aborted, datagram-too-large, name-unresolvable,
                        temporary-resolver-failure, permanent-resolver-failure,
                    }
                    enum ip-address-family { ipv4, ipv6 }
                }
                interface tcp { resource tcp-socket; }
                interface udp { resource udp-socket; }
                interface tcp-create-socket {
                    use network.{error-code, ip-address-family};
                    use tcp.{tcp-socket};
                    create-tcp-socket: func(address-family: ip-address-family) -> result<tcp-socket, error-code>;
                }
                interface udp-create-socket {
                    use network.{error-code, ip-address-family};
                    use udp.{udp-socket};
                    create-udp-socket: func(address-family: ip-address-family) -> result<udp-socket, error-code>;
                }
            }
        "#,
        generate_all,
        runtime_path: "::einvoice_plugin::wit_bindgen::rt",
    });
    pub(crate) use wasi::*;
}

use outside::sockets::network::IpAddressFamily;
use outside::{cli, clocks, filesystem, random, sockets};

/// What it found when it reached for what the first word of the notes says; nothing for every other word.
fn reach(notes: &str) -> Option<String> {
    Some(match notes.split_whitespace().next()? {
        "CLOCK" => {
            let now = clocks::wall_clock::now();
            format!("{}.{} {}", now.seconds, now.nanoseconds, clocks::monotonic_clock::now())
        }
        "RANDOM" => format!(
            "{:?} {} {:?}",
            random::random::get_random_bytes(40),
            random::random::get_random_u64(),
            random::insecure_seed::insecure_seed()
        ),
        "MUCH-RANDOM" => format!("{}", random::random::get_random_bytes(1 << 30).len()),
        "ENVIRONMENT" => {
            format!("{:?} {:?}", cli::environment::get_environment(), cli::environment::get_arguments())
        }
        "FILES" => format!("{} folders", filesystem::preopens::get_directories().len()),
        "PRINT" => {
            let out = cli::stdout::get_stdout();
            let written = (0..1000).filter(|_| out.blocking_write_and_flush(&[b'x'; 4096]).is_ok()).count();
            format!("{written} writes")
        }
        "SHOUT" => {
            let err = cli::stderr::get_stderr();
            let _ = (0..1000).all(|_| err.blocking_write_and_flush(&[b'x'; 4096]).is_ok());
            core::arch::wasm32::unreachable()
        }
        "EXCEPTION" => {
            let _ = cli::stderr::get_stderr().blocking_write_and_flush(
                b"Traceback (most recent call last):\n  File \"/app.py\", line 7, in convert\n    no()\n\
                  ValueError: \x1b[2Jno rate\n",
            );
            core::arch::wasm32::unreachable()
        }
        "THROW" => {
            // As it comes of a plugin in JavaScript.
            let _ = cli::stderr::get_stderr().blocking_write_and_flush(
                b"thread '<unnamed>' (1) panicked at crates/runtime/src/interpreter.rs:51:31:\n\
                  Failed to call 'convert': Value(Exception(\n\
                  Exception { message: Some(\"no rate for line 3\"), \
                  stack: Some(\"    at convert (/plugin.js:59:28)\\n\") })\n)\n\
                  note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
            );
            core::arch::wasm32::unreachable()
        }
        "HOARD" => {
            let hoard: Vec<_> = (0..100_000).map(|_| cli::stdout::get_stdout()).collect();
            format!("{} handles", hoard.len())
        }
        "TCP" => format!("{:?}", sockets::tcp_create_socket::create_tcp_socket(IpAddressFamily::Ipv4)),
        "UDP" => format!("{:?}", sockets::udp_create_socket::create_udp_socket(IpAddressFamily::Ipv6)),
        "SLEEP" => {
            clocks::monotonic_clock::subscribe_duration(3_600_000_000_000).block();
            "slept".to_owned()
        }
        "EXIT" => {
            cli::exit::exit(Err(()));
            "still here".to_owned()
        }
        _ => return None,
    })
}

/// The plugin.
struct Reaching;

impl Country for Reaching {
    fn describe() -> Description {
        match Hostile::describe() {
            usual if usual.key == "hostile" => Description { key: "reaching".into(), ..usual },
            steered => steered,
        }
    }

    fn check(invoice: &Invoice, context: &Context) -> Vec<einvoice_plugin::Fault> {
        Hostile::check(invoice, context)
    }

    fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
        match reach(invoice.notes.as_deref().unwrap_or_default()) {
            Some(found) => {
                Ok(Document { media_type: "text/plain".into(), body: found, payable: invoice.totals.payable })
            }
            None => Hostile::convert(invoice, context),
        }
    }

    fn map_identity(recipient: &Recipient) -> Result<Identity, Faults> {
        Hostile::map_identity(recipient)
    }

    fn interpret(report: &ProviderResult) -> Result<Verdict, Faults> {
        Hostile::interpret(report)
    }
}

einvoice_plugin::export!(Reaching with panic_text);
