//! A disk without room: what is there can be read, nothing is lost, and with room everything goes on by itself.

use gateway_tests::{Engine, Options, World, fresh_uuid, target_folder, until};
use serde_json::json;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// Makes a file system of its own in `$0` that this process alone sees, says so, and stays until its input ends.
const MOUNT_SCRIPT: &str = r#"mount -t tmpfs -o size=24m,mode=700 small "$0" && echo ready && exec cat"#;

/// A disk of 24 MiB, in memory; gone when dropped.
pub(crate) struct SmallDisk {
    holder: Child,
    /// Where it is for whoever was started beside its holder.
    folder: TempDir,
}

impl SmallDisk {
    /// None where the system lets nobody make one.
    pub(crate) fn make() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let hold = ["--map-root-user", "--mount", "--propagation", "private", "sh", "-c", MOUNT_SCRIPT];
        let mut command = Command::new("unshare");
        command.args(hold).arg(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut holder = command.spawn().ok()?;
        let mut said = String::new();
        BufReader::new(holder.stdout.take().unwrap()).read_line(&mut said).unwrap();
        (said == "ready\n").then_some(Self { holder, folder })
    }

    /// A gateway whose data directory is on the disk. Compiled plugins are not, as they are shared with other tests.
    pub(crate) fn options(&self) -> Options {
        let shared = target_folder().join("gateway-tests-plugin-cache");
        std::os::unix::fs::symlink(shared, self.path_from_outside("plugin-cache")).unwrap();
        let holder = format!("--target={}", self.holder.id());
        let folder = self.folder.path().display();
        Options::sandbox()
            .launched_by(&["nsenter", &holder, "--user", "--mount", "--preserve-credentials", "--"])
            .variable("GATEWAY_DATA_DIR", &folder.to_string())
            .variable("GATEWAY_DATABASE__URL", &format!("sqlite:{folder}/gateway.db"))
    }

    /// A file of the disk.
    fn path_from_outside(&self, name: &str) -> PathBuf {
        format!("/proc/{}/root{}/{name}", self.holder.id(), self.folder.path().display()).into()
    }

    fn ballast(&self) -> PathBuf {
        self.path_from_outside("ballast")
    }

    /// Writes until there is not one byte left.
    pub(crate) fn fill(&self) {
        let mut file = File::options().create(true).append(true).open(self.ballast()).unwrap();
        for size in [1 << 20, 4096, 1] {
            while file.write_all(&vec![1; size]).is_ok() {}
        }
    }

    /// What is written from now on is refused by the system, or what is read and written works again.
    pub(crate) fn remount(&self, how: &str) {
        let holder = format!("--target={}", self.holder.id());
        let nsenter = ["nsenter", &holder, "--user", "--mount", "--preserve-credentials", "--"];
        let mut command = Command::new(nsenter[0]);
        command.args(&nsenter[1..]).args(["mount", "-o", &format!("remount,{how}")]).arg(self.folder.path());
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    pub(crate) fn make_room(&self) {
        fs::remove_file(self.ballast()).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

async fn assert_disk(world: &World, has_room: bool) {
    let ready = world.gateway.internal().get("/readyz").await.expect(if has_room { 200 } else { 503 });
    let checks =
        json!({"database": true, "migrations": true, "disk": has_room, "plugins": true, "work": true});
    assert_eq!(ready["checks"], checks, "{ready}");
}

/// Drafts are refused for want of room, once what SQLite had room for already is used up.
async fn until_drafts_are_refused(world: &World) {
    let document = &world.document();
    until("a draft finds no room", || async {
        let answer = world.put_draft(&fresh_uuid(), document).await;
        match answer.status {
            201 => None,
            _ => Some(answer.errors(503)),
        }
    })
    .await;
}

#[tokio::test]
async fn a_full_disk_is_told_reads_go_on_also_after_a_restart_and_writes_return_with_room() {
    let Some(disk) = SmallDisk::make() else {
        eprintln!(
            "did not run: this system lets nobody mount a small disk (unshare --map-root-user --mount)"
        );
        return;
    };
    let mut world = World::with(Engine::Sqlite, disk.options()).await;
    let kept = world.issue(&world.document()).await;
    world.until(&kept, "issued").await;
    assert_disk(&world, true).await;

    disk.fill();
    assert_disk(&world, false).await;
    until_drafts_are_refused(&world).await;
    assert_eq!(world.read(&kept).await["status"], "issued");

    // A token is signed and not stored: whoever wants to read gets in after a start without room, too.
    world.gateway.kill9();
    disk.fill();
    world.serve_again().await;
    assert_disk(&world, false).await;
    assert_eq!(world.read(&kept).await["status"], "issued");
    disk.fill();
    until_drafts_are_refused(&world).await;

    disk.make_room();
    assert_disk(&world, true).await;
    let again = world.issue(&world.document()).await;
    world.until(&again, "issued").await;
}

#[tokio::test]
async fn a_disk_that_is_read_only_stops_a_start_with_a_sentence_and_loses_nothing() {
    let Some(disk) = SmallDisk::make() else {
        eprintln!(
            "did not run: this system lets nobody mount a small disk (unshare --map-root-user --mount)"
        );
        return;
    };
    let mut world = World::with(Engine::Sqlite, disk.options()).await;
    let kept = world.issue(&world.document()).await;
    world.until(&kept, "issued").await;
    assert!(world.gateway.stop().await.is_some_and(|status| status.success()));
    disk.remount("ro");
    assert!(!world.gateway.try_serve().await, "{}", world.gateway.log());
    let log = world.gateway.log();
    let last = log.trim().lines().last().unwrap_or_default();
    assert!(last.starts_with("error: ") && last.contains("read-only"), "{log}");
    disk.remount("rw");
    world.serve_again().await;
    assert_eq!(world.read(&kept).await["status"], "issued");
    let again = world.issue(&world.document()).await;
    world.until(&again, "issued").await;
}
