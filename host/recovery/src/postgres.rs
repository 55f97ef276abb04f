//! The programs of PostgreSQL that write and read a whole database.

use percent_encoding::percent_decode_str;
use secrecy::{ExposeSecret, SecretString};
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Output, Stdio};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use url::Url;

const PG_DUMP: &str = "pg_dump";
const PG_RESTORE: &str = "pg_restore";

/// Why a program of PostgreSQL did not do its part.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It is not installed.
    #[error(
        "{0} is not in PATH: install PostgreSQL's client programs of the server's version or newer (Debian: postgresql-client)"
    )]
    Missing(&'static str),
    /// It cannot be started.
    #[error("{program} cannot be started")]
    NotStarted {
        /// Its name.
        program: &'static str,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// It refused.
    #[error("{program} refused: {said}")]
    Refused {
        /// Its name.
        program: &'static str,
        /// Its last line.
        said: String,
    },
    /// The address is none.
    #[error("the address in database.url cannot be read: use postgres://USER:PASSWORD@HOST:PORT/NAME")]
    Address,
}

/// Where a database is, as the programs of PostgreSQL are told: by their environment, which other users do not see.
#[derive(Debug)]
pub(crate) struct Address(Vec<(&'static str, SecretString)>);

impl Address {
    /// What the address says; for the rest the programs look where the gateway does.
    pub(crate) fn of(url: &str) -> Result<Self, ProgramError> {
        let url = Url::parse(url).map_err(|_| ProgramError::Address)?;
        let mut said: Vec<(&'static str, String)> = Vec::new();
        if let Some(host) = url.host_str() {
            said.push(("PGHOST", decoded(host.trim_matches(['[', ']']))));
        }
        said.extend(url.port().map(|port| ("PGPORT", port.to_string())));
        said.push(("PGUSER", decoded(url.username())));
        said.extend(url.password().map(|password| ("PGPASSWORD", decoded(password))));
        said.push(("PGDATABASE", decoded(url.path().trim_start_matches('/'))));
        let mut options: Vec<String> = Vec::new();
        for (name, value) in url.query_pairs() {
            let variable = match &*name {
                "host" | "hostaddr" => "PGHOST",
                "port" => "PGPORT",
                "dbname" => "PGDATABASE",
                "user" | "username" => "PGUSER",
                "password" => "PGPASSWORD",
                "sslmode" | "ssl-mode" => "PGSSLMODE",
                "sslrootcert" | "ssl-root-cert" | "ssl-ca" => "PGSSLROOTCERT",
                "sslcert" | "ssl-cert" => "PGSSLCERT",
                "sslkey" | "ssl-key" => "PGSSLKEY",
                "options" => {
                    options.push(value.into_owned());
                    continue;
                }
                name => {
                    let option = name.strip_prefix("options[").and_then(|name| name.strip_suffix(']'));
                    options.extend(option.map(|option| format!("-c {option}={value}")));
                    continue;
                }
            };
            said.push((variable, value.into_owned()));
        }
        said.push(("PGOPTIONS", options.join(" ")));
        let said = said.into_iter().filter(|(_, value)| !value.is_empty());
        Ok(Self(said.map(|(name, value)| (name, value.into())).collect()))
    }

    fn command(&self, program: &'static str) -> Command {
        let mut command = Command::new(program);
        command.envs(self.0.iter().map(|(name, value)| (name, value.expose_secret())));
        // Nobody is there to type a password.
        command.arg("--no-password").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        command
    }

    /// Writes the database into `file`, as it is in the snapshot of this name.
    pub(crate) async fn dump(&self, snapshot: &str, file: &Path) -> Result<(), ProgramError> {
        let mut command = self.command(PG_DUMP);
        command.args(["--format=custom", "--snapshot"]).arg(snapshot).arg("--file").arg(file);
        run(PG_DUMP, command).await
    }

    /// Reads a database out of what [`Self::dump`] wrote: everything or nothing.
    pub(crate) async fn restore(&self, dump: io::Take<File>) -> Result<(), ProgramError> {
        let mut command = self.command(PG_RESTORE);
        let name = self.0.iter().rev().find(|(name, _)| *name == "PGDATABASE");
        // Without a name it would write statements.
        let name = name.map_or("postgres", |(_, name)| name.expose_secret());
        command.args([
            "--no-owner",
            "--no-privileges",
            "--single-transaction",
            "--exit-on-error",
            "--dbname",
        ]);
        command.arg(name).stdin(Stdio::piped());
        let mut child = command.spawn().map_err(not_started(PG_RESTORE))?;
        let stdin = child.stdin.take();
        let (bytes, file) = (dump.limit(), tokio::fs::File::from_std(dump.into_inner()));
        let feeding = async {
            if let Some(mut stdin) = stdin {
                // Whoever refuses reads no further, and says why.
                let _ = tokio::io::copy(&mut file.take(bytes), &mut stdin).await;
                let _ = stdin.shutdown().await;
            }
        };
        let ((), ended) = tokio::join!(feeding, child.wait_with_output());
        concluded(PG_RESTORE, &ended.map_err(not_started(PG_RESTORE))?)
    }
}

/// Refuses to begin what a missing program could not end.
pub(crate) async fn ensure_restores() -> Result<(), ProgramError> {
    let mut command = Command::new(PG_RESTORE);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    run(PG_RESTORE, command).await
}

async fn run(program: &'static str, mut command: Command) -> Result<(), ProgramError> {
    concluded(program, &command.output().await.map_err(not_started(program))?)
}

fn not_started(program: &'static str) -> impl FnOnce(io::Error) -> ProgramError {
    move |cause| match cause.kind() {
        io::ErrorKind::NotFound => ProgramError::Missing(program),
        _ => ProgramError::NotStarted { program, cause },
    }
}

fn concluded(program: &'static str, ended: &Output) -> Result<(), ProgramError> {
    if ended.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    let said = said.lines().find(|line| line.contains("error: ")).or_else(|| said.lines().last());
    let said = said.unwrap_or("it said nothing");
    let said = said.split_once("error: ").map_or(said, |(_, said)| said);
    Err(ProgramError::Refused { program, said: said.to_owned() })
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(url: &str) -> Vec<(&'static str, String)> {
        let address = Address::of(url).unwrap();
        address.0.iter().map(|(name, value)| (*name, value.expose_secret().to_owned())).collect()
    }

    #[test]
    fn the_programs_are_told_what_the_address_says() {
        let said = variables(
            "postgres://jane:a%2Fb%25@[::1]:5433/gate%20way?sslmode=require&options[search_path]=x",
        );
        let expected = [
            ("PGHOST", "::1"),
            ("PGPORT", "5433"),
            ("PGUSER", "jane"),
            ("PGPASSWORD", "a/b%"),
            ("PGDATABASE", "gate way"),
            ("PGSSLMODE", "require"),
            ("PGOPTIONS", "-c search_path=x"),
        ];
        assert_eq!(said, expected.map(|(name, value)| (name, value.to_owned())));
        let socket = variables("postgresql://%2Frun%2Fpostgresql/gateway");
        assert_eq!(socket[0], ("PGHOST", "/run/postgresql".to_owned()));
    }

    #[test]
    fn a_password_is_not_shown() {
        assert!(!format!("{:?}", Address::of("postgres://u:hidden@h/d").unwrap()).contains("hidden"));
    }
}
