//! What takes a while says so, before and after.

use gateway_terminal::note;
use std::time::{Duration, Instant};

/// How long something may take before it is worth a line.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(1);

/// Carries out `work` between two lines on standard error: what is done, and how long it took.
pub(crate) async fn report_progress<T, E>(
    doing: &str,
    done: &str,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    note(&format!("{doing} …"));
    timed(done, work).await
}

/// The same without a word when it takes no more than a second.
pub(crate) async fn report_progress_when_slow<T, E>(
    doing: &str,
    done: &str,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let began = Instant::now();
    tokio::pin!(work);
    if let Ok(answer) = tokio::time::timeout(SILENCE_TIMEOUT, &mut work).await {
        return answer;
    }
    note(&format!("{doing} …"));
    let answer = work.await?;
    note(&sentence(done, began.elapsed()));
    Ok(answer)
}

async fn timed<T, E>(done: &str, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let began = Instant::now();
    let answer = work.await?;
    note(&sentence(done, began.elapsed()));
    Ok(answer)
}

fn sentence(done: &str, took: Duration) -> String {
    format!("{done} in {:.1} s.", took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_took_a_while_says_how_long() {
        assert_eq!(
            sentence("Built xx-hello.wasm", Duration::from_millis(12_340)),
            "Built xx-hello.wasm in 12.3 s."
        );
    }
}
