//! `Cargo.lock`, read as far as it is asked for.

/// A package as it is locked.
#[derive(Debug)]
pub struct LockedPackage<'a> {
    /// As its manifest says.
    pub name: &'a str,
    /// As its manifest says.
    pub version: &'a str,
    /// Whether it was downloaded: not one of the workspace.
    pub from_elsewhere: bool,
    /// The SHA-256 of what was downloaded.
    pub checksum: Option<&'a str>,
    /// `NAME`, or `NAME VERSION` where there are several.
    pub dependencies: Vec<&'a str>,
}

/// Every package of a lock.
pub fn packages(lock: &str) -> impl Iterator<Item = LockedPackage<'_>> {
    lock.split("[[package]]").skip(1).filter_map(|package| {
        let value = |key: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
            line.and_then(|line| line.strip_suffix('"'))
        };
        let dependencies = package.lines().skip_while(|line| *line != "dependencies = [").skip(1);
        let dependencies = dependencies.take_while(|line| *line != "]");
        Some(LockedPackage {
            name: value("name")?,
            version: value("version")?,
            from_elsewhere: value("source").is_some(),
            checksum: value("checksum"),
            dependencies: dependencies.filter_map(|line| line.split('"').nth(1)).collect(),
        })
    })
}
