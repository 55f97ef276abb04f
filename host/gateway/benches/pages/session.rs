//! A session of the console.

use crate::stage::BenchError;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Signs a client in, and returns the cookie of its session.
pub(crate) async fn sign_in(url: &str, id: &str, secret: &str) -> Result<String, BenchError> {
    let address = url.trim_start_matches("http://");
    let body = format!("client_id={id}&client_secret={secret}&next=/console");
    let request = format!(
        "POST /console/sign-in HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: \
         application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next());
    cookie.map(str::to_owned).ok_or_else(|| format!("nobody was signed in: {answer}").into())
}
