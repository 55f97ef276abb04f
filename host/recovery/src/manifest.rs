//! What a backup says of itself: the file `manifest.json`, first in it.

use gateway_storage::Engine;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The format that this program writes, and the newest that it reads.
pub const FORMAT: u32 = 1;

/// Everything about a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Of the backup.
    pub format: u32,
    /// The version of the gateway that made it.
    pub gateway_version: String,
    /// What the database runs on.
    pub engine: BackupEngine,
    /// The newest migration of the database.
    pub schema_version: i64,
    /// When it was begun: what was issued later may not be in it.
    pub made_at: Timestamp,
    /// The other members of the file.
    pub members: Vec<Member>,
    /// What the database holds.
    pub content: Content,
}

/// What a database runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BackupEngine {
    /// A file.
    Sqlite,
    /// A server.
    Postgres,
}

/// A member of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// What it is.
    pub name: MemberName,
    /// How long it is.
    pub bytes: u64,
    /// Its checksum in 64 hexadecimal digits.
    pub sha256: String,
}

/// What a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemberName {
    /// A SQLite database.
    #[serde(rename = "database.sqlite")]
    Sqlite,
    /// What `pg_dump` wrote.
    #[serde(rename = "database.pgdump")]
    PgDump,
    /// The master keys, wrapped by a passphrase.
    #[serde(rename = "master.keys.json")]
    MasterKeys,
}

/// What a database holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// Every table. Documents, their structured records and the messages that the authority got are among them.
    pub tables: Vec<TableContent>,
    /// Every series of numbers.
    pub series: Vec<SeriesContent>,
}

/// What a table holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableContent {
    /// Its name.
    pub name: String,
    /// How many rows.
    pub rows: u64,
    /// Of every value of every row in the order of the key, the same on both engines; 64 hexadecimal digits.
    pub sha256: String,
}

/// What a series of numbers has given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesContent {
    /// Whose it is.
    pub workspace_id: i64,
    /// `invoice` or `credit_note`.
    pub kind: String,
    /// The year that it is of.
    pub year: i64,
    /// The first number.
    pub first: Option<SeriesNumber>,
    /// The last number.
    pub last: Option<SeriesNumber>,
    /// How many.
    pub given: i64,
    /// The position that is given next.
    pub next: i64,
    /// Whether as many were given as there are positions from the first to the last, each once, and the next one follows.
    pub without_gap: bool,
}

/// A number, and its position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesNumber {
    /// From 1.
    pub position: i64,
    /// As it stands on the document.
    pub number: String,
}

/// What every format has.
#[derive(Deserialize)]
pub(crate) struct AnyFormat {
    pub(crate) format: u32,
}

impl MemberName {
    /// Its name in the file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "database.sqlite",
            Self::PgDump => "database.pgdump",
            Self::MasterKeys => "master.keys.json",
        }
    }
}

impl BackupEngine {
    /// As people call it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }

    /// What holds a database of it.
    pub(crate) const fn member(self) -> MemberName {
        match self {
            Self::Sqlite => MemberName::Sqlite,
            Self::Postgres => MemberName::PgDump,
        }
    }
}

impl From<Engine> for BackupEngine {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => Self::Sqlite,
            Engine::Postgres => Self::Postgres,
        }
    }
}

impl Manifest {
    /// A member, if the file has it.
    pub fn member(&self, name: MemberName) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// Whether the master keys are in it.
    pub fn has_keys(&self) -> bool {
        self.member(MemberName::MasterKeys).is_some()
    }
}

impl Content {
    /// The series with a gap, or with a number that would be given twice.
    pub fn broken_series(&self) -> impl Iterator<Item = &SeriesContent> {
        self.series.iter().filter(|series| !series.without_gap)
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// What differs from `other`, named for people: tables and series.
    pub(crate) fn differences(&self, other: &Self) -> Vec<String> {
        let tables = self.tables.iter().filter(|table| !other.tables.contains(table));
        let missing =
            other.tables.iter().filter(|table| self.tables.iter().all(|ours| ours.name != table.name));
        let series = self.series.iter().filter(|series| !other.series.contains(series));
        let more = other.series.iter().filter(|series| !self.series.contains(series));
        let mut names: Vec<String> =
            tables.chain(missing).map(|table| format!("table {}", table.name)).collect();
        names
            .extend(series.chain(more).map(|series| format!("numbers of workspace {}", series.workspace_id)));
        names.dedup();
        names
    }
}
