//! The machine: disk, clock, keys and certificates.

use super::{AS_EVER, issued, until_it_issues};
use crate::full_disk::SmallDisk;
use crate::tls::{healthz, make_certificate};
use gateway_tests::{Drill, Engine, Options, Request, World, on_both, until, with_fail_points};
use std::fs;

#[tokio::test]
async fn on_a_full_disk_reads_and_tokens_are_answered_and_writes_return_with_room() {
    let Some(disk) = SmallDisk::make() else {
        eprintln!("did not run: this system lets nobody mount a small disk");
        return;
    };
    let world = World::with(Engine::Sqlite, disk.options()).await;
    let stored = issued(&world).await;
    let drill = Drill::new("full disk", &world, &stored).await;
    disk.fill();
    until("a draft finds no room", || async {
        let answer = world.put_draft(&gateway_tests::fresh_uuid(), &world.document()).await;
        (answer.status == 503).then_some(())
    })
    .await;
    let answers: [(Request, &[u16]); 6] = [
        (Request::Healthz, &[200]),
        (Request::Readyz, &[503]),
        (Request::Token, &[200]),
        (Request::Metrics, &[200]),
        (Request::Read, &[200]),
        (Request::Write, &[201, 503]),
    ];
    drill.holds(&answers).await;
    disk.make_room();
    drill.returns("by itself", until_it_issues(&world)).await;
}

#[tokio::test]
async fn on_a_disk_that_is_read_only_a_start_is_refused_and_succeeds_when_it_can_be_written() {
    let Some(disk) = SmallDisk::make() else {
        eprintln!("did not run: this system lets nobody mount a small disk");
        return;
    };
    let mut world = World::with(Engine::Sqlite, disk.options()).await;
    let stored = issued(&world).await;
    world.gateway.stop().await;
    disk.remount("ro");
    assert!(!world.gateway.try_serve().await, "{}", world.gateway.log());
    assert!(world.gateway.log().contains("read-only"), "{}", world.gateway.log());
    disk.remount("rw");
    world.serve_again().await;
    let drill = Drill::new("read-only disk", &world, &stored).await;
    drill.returns("by a start, which was refused with a sentence before", until_it_issues(&world)).await;
}

/// The clock of the host is wrong by so many seconds: whoever asks for a token then is answered as ever.
async fn clock_drill(fault: &'static str, offset_s: i64) {
    with_fail_points();
    on_both(|engine| async move {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("offset");
        let options = Options::sandbox().variable("GATEWAY_TEST_CLOCK_FILE", &file.display().to_string());
        let mut world = World::with(engine, options).await;
        let stored = issued(&world).await;
        let step = |seconds: i64| {
            let fresh = folder.path().join("fresh");
            fs::write(&fresh, seconds.to_string()).unwrap();
            fs::rename(fresh, &file).unwrap();
        };
        for (offset, how) in [(offset_s, None), (0, Some("by itself; clients ask for another token"))] {
            step(offset);
            // Tokens of before are good no more, or not yet.
            world.api = world.authenticated(&world.client).await;
            let drill = Drill::new(fault, &world, &stored).await;
            match how {
                None => drill.holds(&AS_EVER).await,
                Some(how) => drill.returns(how, until_it_issues(&world)).await,
            }
            issued(&world).await;
        }
    })
    .await;
}

#[tokio::test]
async fn when_the_clock_steps_an_hour_ahead_and_back_documents_are_issued_as_ever() {
    clock_drill("clock +1 h", 3_600).await;
}

#[tokio::test]
async fn when_the_clock_steps_an_hour_back_and_ahead_documents_are_issued_as_ever() {
    clock_drill("clock -1 h", -3_600).await;
}

#[tokio::test]
async fn without_its_master_key_a_gateway_serves_on_and_a_start_is_refused_until_the_key_is_back() {
    on_both(|engine| async move {
        let mut world = World::start(engine).await;
        let stored = issued(&world).await;
        let (key, aside) = (world.gateway.folder().join("master.key"), world.gateway.folder().join("aside"));
        fs::rename(&key, &aside).unwrap();
        Drill::new("lost master key", &world, &stored).await.holds(&AS_EVER).await;
        issued(&world).await;
        world.gateway.stop().await;
        assert!(!world.gateway.try_serve().await, "{}", world.gateway.log());
        assert!(world.gateway.log().contains("master.key"), "{}", world.gateway.log());
        fs::rename(&aside, &key).unwrap();
        world.serve_again().await;
        let drill = Drill::new("lost master key", &world, &stored).await;
        let how = "with the key of a backup; it served on, and a start without the key was refused";
        drill.returns(how, until_it_issues(&world)).await;
    })
    .await;
}

#[tokio::test]
async fn with_an_expired_certificate_a_gateway_serves_on_and_returns_with_a_renewed_one_and_sighup() {
    on_both(|engine| async move {
        let folder = tempfile::tempdir().unwrap();
        make_certificate(folder.path(), "expired", -1);
        let file = |name: &str| folder.path().join(name).display().to_string();
        let options = Options::sandbox()
            .variable("GATEWAY_SERVER__PUBLIC_TLS_CERTIFICATE_FILE", &file("tls.crt"))
            .variable("GATEWAY_SERVER__PUBLIC_TLS_KEY_FILE", &file("tls.key"))
            // The stand-in calls no listener whose certificate it does not trust.
            .variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1");
        let world = World::with(engine, options).await;
        let stored = issued(&world).await;
        let drill = Drill::new("expired TLS certificate", &world, &stored).await;
        let base = world.gateway.public().base().to_owned();
        let checking = ["--cacert", &file("tls.crt")];
        assert!(!healthz(&base, &checking).status.success(), "a client that checks it refuses");
        drill.holds(&AS_EVER).await;
        make_certificate(folder.path(), "renewed", 60);
        world.gateway.signal("HUP");
        let answered = until("a client that checks the certificate is answered", || async {
            healthz(&base, &checking).status.success().then_some(())
        });
        drill.returns("with a renewed certificate and SIGHUP", answered).await;
    })
    .await;
}
