//! Listeners that speak TLS themselves.

use gateway_tests::{Engine, Gateway, Options, until};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A certificate of this name for this machine, signed by itself.
fn make_certificate(folder: &Path, name: &str) {
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
        ])
        .args(["-subj", &format!("/CN={name}"), "-addext", "subjectAltName=IP:127.0.0.1"])
        .arg("-keyout")
        .arg(folder.join("new.key"))
        .arg("-out")
        .arg(folder.join("new.crt"))
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    for file in ["crt", "key"] {
        fs::rename(folder.join(format!("new.{file}")), folder.join(format!("tls.{file}"))).unwrap();
    }
}

/// Whom the listener at `url` says that it is.
fn subject(url: &str) -> String {
    let address = url.strip_prefix("https://").unwrap();
    let client =
        Command::new("openssl").args(["s_client", "-connect", address, "-alpn", "h2"]).output().unwrap();
    let text = String::from_utf8_lossy(&client.stdout).into_owned();
    assert!(text.contains("ALPN protocol: h2"), "{text}");
    text.lines().find_map(|line| line.strip_prefix("subject=")).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn listeners_speak_tls_and_take_a_new_certificate_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    make_certificate(folder.path(), "first");
    let file = |name: &str| folder.path().join(name).display().to_string();
    let mut options = Options::sandbox();
    for listener in ["PUBLIC", "INTERNAL"] {
        options = options
            .variable(&format!("GATEWAY_SERVER__{listener}_TLS_CERTIFICATE_FILE"), &file("tls.crt"))
            .variable(&format!("GATEWAY_SERVER__{listener}_TLS_KEY_FILE"), &file("tls.key"));
    }
    let mut gateway = Gateway::prepared(Engine::Sqlite, options).await;
    gateway.serve().await;
    for api in [gateway.public(), gateway.internal()] {
        let answered = Command::new("curl")
            .args([
                "--silent",
                "--show-error",
                "--fail",
                "--cacert",
                &file("tls.crt"),
                &format!("{}/healthz", api.base()),
            ])
            .output()
            .unwrap();
        assert!(answered.status.success(), "{}", String::from_utf8_lossy(&answered.stderr));
        let plain = api.base().replace("https://", "http://");
        let refused = Command::new("curl").args(["--silent", &format!("{plain}/healthz")]).status().unwrap();
        assert!(!refused.success(), "nothing is answered without TLS");
        assert!(subject(api.base()).contains("first"));
    }
    // Half a handshake keeps nobody from being served.
    let address = gateway.public().base().strip_prefix("https://").unwrap().to_owned();
    let silent: Vec<_> = (0..20).map(|_| std::net::TcpStream::connect(&address).unwrap()).collect();
    assert!(subject(gateway.public().base()).contains("first"));
    drop(silent);

    fs::write(folder.path().join("tls.key"), "no key").unwrap();
    gateway.signal("HUP");
    until("the key that is none is named", || async {
        gateway.log().contains("New connections are made with the certificate of before").then_some(())
    })
    .await;
    assert!(subject(gateway.public().base()).contains("first"));
    make_certificate(folder.path(), "second");
    gateway.signal("HUP");
    until("the new certificate is taken", || async {
        subject(gateway.public().base()).contains("second").then_some(())
    })
    .await;

    let lonely = Options::sandbox().variable("GATEWAY_SERVER__PUBLIC_TLS_KEY_FILE", &file("tls.key"));
    let gateway = Gateway::prepared(Engine::Sqlite, lonely).await;
    let refused = gateway.cli(&["config", "check"]).await;
    assert!(refused.code == 2 && refused.stderr.contains("server.public_tls_key_file"), "{refused:?}");
}
