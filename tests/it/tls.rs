//! Listeners that speak TLS themselves.

use gateway_tests::{Engine, Gateway, Options, until};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A certificate of this name for this machine, signed by itself, for so many days; below zero it has expired.
pub(crate) fn make_certificate(folder: &Path, name: &str, days: i32) {
    fs::write(folder.join("names"), "subjectAltName=IP:127.0.0.1\n").unwrap();
    let openssl = |arguments: &[&str]| {
        let made = Command::new("openssl").current_dir(folder).args(arguments).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    };
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "new.key"];
    let request = ["req", "-new", "-subj", &format!("/CN={name}"), "-out", "new.csr"];
    openssl(&[&request[..], &key[..]].concat());
    let signed =
        ["x509", "-req", "-in", "new.csr", "-signkey", "new.key", "-extfile", "names", "-out", "new.crt"];
    openssl(&[&signed[..], &["-days", &days.to_string()]].concat());
    for file in ["crt", "key"] {
        fs::rename(folder.join(format!("new.{file}")), folder.join(format!("tls.{file}"))).unwrap();
    }
}

/// What curl gets from `/healthz`, checking the certificate by the file.
pub(crate) fn healthz(base: &str, how: &[&str]) -> Output {
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--show-error", "--fail"]).args(how).arg(format!("{base}/healthz"));
    curl.output().unwrap()
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
    make_certificate(folder.path(), "first", 60);
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
        let answered = healthz(api.base(), &["--cacert", &file("tls.crt")]);
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
    make_certificate(folder.path(), "second", 60);
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

/// Seconds since 1970 until which the certificate of the public listener is good, as the metrics say.
async fn not_after(gateway: &Gateway) -> i64 {
    let metrics = gateway.internal().get("/metrics").await.text;
    let row = "gateway_tls_certificate_not_after_seconds{listener=\"public\"} ";
    let value = metrics.lines().find_map(|line| line.strip_prefix(row));
    value.unwrap_or_else(|| panic!("{metrics}")).parse().unwrap()
}

fn now() -> i64 {
    std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs().try_into().unwrap()
}

/// What `gateway doctor` finds of the certificates.
async fn examined(gateway: &Gateway) -> Value {
    let ran = gateway.cli(&["doctor", "--json"]).await;
    let findings: Value = serde_json::from_str(ran.stdout.trim()).unwrap();
    findings.as_array().unwrap().iter().find(|finding| finding["check"] == "certificates").unwrap().clone()
}

#[tokio::test]
async fn an_expired_certificate_is_named_and_served_on_until_a_renewed_one_is_there() {
    const DAY: i64 = 86_400;
    let folder = tempfile::tempdir().unwrap();
    make_certificate(folder.path(), "expired", -1);
    let file = |name: &str| folder.path().join(name).display().to_string();
    let options = Options::sandbox()
        .variable("GATEWAY_SERVER__PUBLIC_TLS_CERTIFICATE_FILE", &file("tls.crt"))
        .variable("GATEWAY_SERVER__PUBLIC_TLS_KEY_FILE", &file("tls.key"));
    let gateway = Gateway::start(Engine::Sqlite, options).await;
    let base = gateway.public().base().to_owned();
    let log = gateway.log();
    let said = log.lines().find(|line| line.contains("certificate of the public listener")).unwrap();
    assert!(said.contains("ERROR") && said.contains("was good until") && said.contains("tls.crt"), "{said}");
    let checking = ["--cacert", &file("tls.crt")];
    let refused = healthz(&base, &checking);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("expired"), "{refused:?}");
    assert!(healthz(&base, &["--insecure"]).status.success(), "it serves on");
    assert!(not_after(&gateway).await < now());
    let found = examined(&gateway).await;
    assert!(found["result"] == "broken" && found["message"].as_str().unwrap().contains("tls.crt"), "{found}");

    make_certificate(folder.path(), "short", 3);
    gateway.signal("HUP");
    until("the end that is near is said", || async {
        let log = gateway.log();
        log.lines().any(|line| line.contains("WARN") && line.contains("is good only until")).then_some(())
    })
    .await;
    assert_eq!(examined(&gateway).await["result"], "note");

    make_certificate(folder.path(), "renewed", 60);
    gateway.signal("HUP");
    until("a client that checks the certificate is answered", || async {
        healthz(&base, &checking).status.success().then_some(())
    })
    .await;
    let left = not_after(&gateway).await - now();
    assert!((59 * DAY..=60 * DAY).contains(&left), "{left}");
    assert_eq!(examined(&gateway).await["result"], "ok");
    gateway.internal().get("/readyz").await.expect(200);
}
