//! `gateway plugin keygen` and `gateway plugin sign`.

use gateway_domain_input::unreadable;
use gateway_plugin_host::{SigningKey, signature_file};
use gateway_registry::read_component;
use gateway_terminal::{Failure, Out};
use serde::Serialize;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use zeroize::Zeroizing;

/// A key that was made.
#[derive(Serialize)]
struct KeyPairView<'a> {
    public_key: &'a str,
    secret_key_file: &'a Path,
}

/// A component that was signed.
#[derive(Serialize)]
struct SignatureView<'a> {
    signature: &'a str,
    /// Where the signature is.
    file: &'a Path,
}

/// Makes a secret key that only this user reads, and prints the public one. It never replaces a file.
///
/// # Errors
/// The file is there already or cannot be written.
pub fn keygen(file: &Path, out: Out) -> Result<(), Failure> {
    let key = SigningKey::generate()?;
    let path = file.display();
    let refused = |error: std::io::Error| {
        Failure::refused(format!(
            "the secret key cannot be written to {path} ({}): name another file with --key",
            unreadable(&error)
        ))
    };
    let mut written =
        std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map_err(refused)?;
    writeln!(written, "{}", *key.to_text()).map_err(refused)?;
    let public = key.public_key()?.to_string();
    out.data(&KeyPairView { public_key: &public, secret_key_file: file }, || {
        format!("{public}\nThe secret key is in {path}: put the line above into plugins.trusted_keys of every gateway.")
    });
    Ok(())
}

/// Signs the component in `file` with the secret key in the file `key`, and writes the signature beside the component.
///
/// # Errors
/// Component or key cannot be read, or the signature cannot be written.
pub async fn sign(file: &Path, key: &Path, out: Out) -> Result<(), Failure> {
    let text = Zeroizing::new(std::fs::read_to_string(key).map_err(|error| {
        let path = key.display();
        Failure::refused(format!(
            "the secret key {path} cannot be read ({}): make one with 'gateway plugin keygen'",
            unreadable(&error)
        ))
    })?);
    let key: SigningKey = text.trim().parse()?;
    let component = read_component(file).await.map_err(Failure::refused)?;
    let signature = key.sign(&component.bytes)?.to_string();
    let target = signature_file(file);
    let path = target.display().to_string();
    std::fs::write(&target, format!("{signature}\n")).map_err(|error| {
        Failure::refused(format!(
            "the signature cannot be written to {path} ({}): make the folder writable",
            unreadable(&error)
        ))
    })?;
    out.data(&SignatureView { signature: &signature, file: &target }, || format!("Signed: {path}."));
    Ok(())
}
