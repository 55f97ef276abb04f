//! How several notices become one message.

use super::{NoticeData, NoticeKind, NoticeTopic};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::printable;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeSet;
use std::fmt::Write;
use uuid::Uuid;

/// A notice as the log has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeEvent {
    /// What happened.
    pub kind: NoticeKind,
    /// Whose it is; none: the gateway's own.
    pub workspace: Option<WorkspaceId>,
    /// What it happened to.
    pub subject: Uuid,
    /// What it says.
    pub data: NoticeData,
}

/// Everything of one kind that a digest says of one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestRow {
    /// What happened.
    pub kind: NoticeKind,
    /// Whose it is; empty: the gateway's own.
    pub workspaces: BTreeSet<WorkspaceId>,
    /// How often it was noted.
    pub count: u32,
    /// Since when it is so, by the oldest of them; of what expires, until when it is good.
    pub since: Timestamp,
    /// What the newest of them says.
    pub newest: NoticeData,
    subject: Uuid,
}

/// Notices that go out together: repeats are one row. In the order of their kinds, and of one kind the oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    rows: Vec<DigestRow>,
}

impl Digest {
    /// Merges notices, which are in the order in which they happened.
    pub fn of(events: impl IntoIterator<Item = NoticeEvent>) -> Self {
        let mut rows: Vec<DigestRow> = Vec::new();
        for NoticeEvent { kind, workspace, subject, data } in events {
            match rows.iter_mut().find(|row| (row.kind, row.subject) == (kind, subject)) {
                Some(row) => {
                    row.workspaces.extend(workspace);
                    row.count = row.count.saturating_add(1);
                    row.since = row.since.min(data.since);
                    row.newest = data;
                }
                None => rows.push(DigestRow {
                    kind,
                    workspaces: workspace.into_iter().collect(),
                    count: 1,
                    since: data.since,
                    newest: data,
                    subject,
                }),
            }
        }
        rows.sort_by_key(|row| (row.kind, row.since));
        Self { rows }
    }

    /// What it says, row by row.
    pub fn rows(&self) -> &[DigestRow] {
        &self.rows
    }

    /// What happened, on one line.
    pub fn subject(&self) -> String {
        if let [only] = self.rows.as_slice() {
            let DigestRow { kind, newest: NoticeData { name, code, .. }, .. } = only;
            return printable(&format!("{}: {name} ({code})", capitalised(kind.phrases().0)), &[])
                .into_owned();
        }
        let of_kind = |kind: &NoticeKind| {
            let (one, several) = kind.phrases();
            match self.rows.iter().filter(|row| row.kind == *kind).count() {
                0 => None,
                1 => Some(format!("1 {one}")),
                count => Some(format!("{count} {several}")),
            }
        };
        NoticeKind::ALL.iter().filter_map(of_kind).collect::<Vec<_>>().join(", ")
    }

    /// What happened, how old it is, what to type next and where to look, as plain text. `console` is the address below which
    /// the pages of the console are; no links without it.
    pub fn body(&self, now: Timestamp, console: Option<&str>) -> String {
        let mut body = String::new();
        for row in &self.rows {
            // A String takes everything.
            let _ = row.write(&mut body, now, console);
        }
        body
    }
}

impl DigestRow {
    fn write(&self, body: &mut String, now: Timestamp, console: Option<&str>) -> std::fmt::Result {
        let Self { kind, workspaces, count, since, newest, .. } = self;
        let line = |text: &str| printable(text, &[]).into_owned();
        writeln!(body, "{}: {}", capitalised(kind.phrases().0), line(&newest.name))?;
        if let Some(document) = newest.document_id {
            writeln!(body, "  Document:  {document}")?;
        }
        if !workspaces.is_empty() {
            let listed: Vec<_> = workspaces.iter().map(ToString::to_string).collect();
            writeln!(body, "  Workspace: {}", listed.join(", "))?;
        }
        let (label, age) =
            (if kind.is_expiry() { "Until:" } else { "Since:" }, age(now.duration_since(*since)));
        let repeated = if *count > 1 { format!("; noted {count} times") } else { String::new() };
        writeln!(body, "  {label}     {}, {age}{repeated}", since.strftime("%Y-%m-%d %H:%M UTC"))?;
        writeln!(body, "  Why:       {} ({})", line(&newest.message), line(&newest.code))?;
        writeln!(body, "  Next:      {}", line(&newest.next_command))?;
        if let Some(console) = console {
            writeln!(body, "  Console:   {}{}", console.trim_end_matches('/'), console_path(newest))?;
        }
        writeln!(body)
    }
}

/// The page of the console that shows what a notice is about.
fn console_path(data: &NoticeData) -> String {
    match (data.about, data.document_id) {
        (NoticeTopic::Document, Some(id)) => format!("/console/invoices/{id}"),
        (NoticeTopic::Document, None) => "/console/invoices".to_owned(),
        (NoticeTopic::Webhook, _) => format!("/console/webhooks/{}", data.name),
        (NoticeTopic::Plugin, _) => "/console/plugins".to_owned(),
        (NoticeTopic::Certificate, _) => "/console/health".to_owned(),
        (NoticeTopic::Credential, _) => format!("/console/workspaces/{}", data.name),
        (NoticeTopic::Reconciliation, _) => format!("/console/reconciliations/{}", data.name),
    }
}

/// How long ago something was, or how far ahead it is, in its two greatest units.
fn age(span: SignedDuration) -> String {
    if span.is_negative() {
        return format!("in {}", length(span.abs()));
    }
    match length(span) {
        length if length.is_empty() => "just now".to_owned(),
        length => format!("{length} ago"),
    }
}

fn length(span: SignedDuration) -> String {
    let (minutes, hours) = (span.as_mins(), span.as_hours());
    let days = hours / 24;
    let (first, second) =
        if days > 0 { ((days, "d"), (hours % 24, "h")) } else { ((hours, "h"), (minutes % 60, "min")) };
    let parts = [first, second].into_iter().filter(|(count, _)| *count > 0);
    parts.map(|(count, unit)| format!("{count} {unit}")).collect::<Vec<_>>().join(" ")
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notices::{Notice, NoticeSubject};
    use gateway_domain::ids::{InvoiceId, ReconciliationId, WebhookId};
    use gateway_domain::invoicing::InvoiceNumber;

    fn at(minute: i64) -> Timestamp {
        "2026-11-20T09:00:00Z".parse::<Timestamp>().unwrap() + SignedDuration::from_mins(minute)
    }

    fn event(kind: NoticeKind, workspace: Option<i64>, subject: NoticeSubject, minute: i64) -> NoticeEvent {
        let workspace = workspace.map(WorkspaceId);
        let id = subject.id();
        let notice = Notice {
            kind,
            workspace,
            subject,
            code: "retriesExhausted".to_owned(),
            message: format!("the provider was away at {minute}"),
            next_command: format!("gateway submission retry {id}"),
            since: at(minute),
        };
        NoticeEvent { kind, workspace, subject: id, data: notice.data() }
    }

    fn alerted(document: u128, minute: i64) -> NoticeEvent {
        let number = Some(InvoiceNumber(format!("F-{document}")));
        let subject = NoticeSubject::Document { id: InvoiceId(Uuid::from_u128(document)), number };
        event(NoticeKind::SubmissionAlerted, Some(1), subject, minute)
    }

    #[test]
    fn repeats_about_one_subject_are_one_row_with_their_count_and_the_oldest_time() {
        let digest = Digest::of([alerted(1, 5), alerted(2, 6), alerted(1, 9)]);
        let [first, second] = digest.rows() else { panic!("{digest:?}") };
        assert_eq!((first.count, first.since), (2, at(5)));
        assert_eq!(first.newest.message, "the provider was away at 9");
        assert_eq!((second.count, second.since), (1, at(6)));
        assert_eq!(digest.subject(), "2 submissions wait for somebody");
    }

    #[test]
    fn another_kind_about_the_same_subject_is_a_row_of_its_own() {
        let cleared = NoticeEvent { kind: NoticeKind::SubmissionCleared, ..alerted(1, 9) };
        let digest = Digest::of([cleared, alerted(1, 5), alerted(2, 6)]);
        let kinds: Vec<_> = digest.rows().iter().map(|row| (row.kind, row.count)).collect();
        assert_eq!(
            kinds,
            [
                (NoticeKind::SubmissionAlerted, 1),
                (NoticeKind::SubmissionAlerted, 1),
                (NoticeKind::SubmissionCleared, 1)
            ]
        );
        assert_eq!(digest.subject(), "2 submissions wait for somebody, 1 submission goes on");
    }

    #[test]
    fn one_row_is_named_in_the_subject_and_the_body_says_how_old_it_is_and_what_to_do() {
        let digest = Digest::of([alerted(1, 0), alerted(1, 30)]);
        assert_eq!(digest.subject(), "Submission waits for somebody: F-1 (retriesExhausted)");
        let id = Uuid::from_u128(1);
        assert_eq!(
            digest.body(at(125), Some("https://inside.example/")),
            format!(
                "Submission waits for somebody: F-1\n  Document:  {id}\n  Workspace: 1\n  \
                 Since:     2026-11-20 09:00 UTC, 2 h 5 min ago; noted 2 times\n  \
                 Why:       the provider was away at 30 (retriesExhausted)\n  \
                 Next:      gateway submission retry {id}\n  \
                 Console:   https://inside.example/console/invoices/{id}\n\n"
            )
        );
        assert!(!digest.body(at(125), None).contains("Console"));
    }

    #[test]
    fn one_plugin_that_serves_several_workspaces_is_one_row() {
        let blocked = |workspace| {
            let subject = NoticeSubject::Plugin("es-verifactu@1.0.0".to_owned());
            event(NoticeKind::PluginBlocked, workspace, subject, 0)
        };
        let digest = Digest::of([blocked(None), blocked(Some(2)), blocked(Some(1))]);
        let body = digest.body(at(0), Some("http://inside"));
        assert!(body.contains("Workspace: 1, 2\n") && body.contains("/console/plugins\n"), "{body}");
    }

    #[test]
    fn each_topic_has_a_page_of_the_console() {
        let webhook = NoticeSubject::Webhook(WebhookId(Uuid::nil()));
        let run = ReconciliationId(Uuid::nil());
        let found = NoticeSubject::Reconciliation { run, finding: "1: it failed".to_owned() };
        for (subject, path) in [
            (webhook, format!("/console/webhooks/{}", Uuid::nil())),
            (NoticeSubject::Certificate("public".to_owned()), "/console/health".to_owned()),
            (NoticeSubject::Credential(WorkspaceId(3)), "/console/workspaces/3".to_owned()),
            (found, format!("/console/reconciliations/{}", Uuid::nil())),
        ] {
            let data = event(NoticeKind::WebhookDisabled, None, subject, 0).data;
            assert_eq!(console_path(&data), path);
        }
    }

    #[test]
    fn what_others_wrote_adds_no_line_and_no_header() {
        let mut event = alerted(1, 0);
        event.data.code = "x\r\nBcc: a@example.org".to_owned();
        event.data.message = "a\n  Next:      rm".to_owned();
        let digest = Digest::of([event]);
        assert!(!digest.subject().contains(['\r', '\n']), "{}", digest.subject());
        assert_eq!(digest.body(at(0), None).lines().filter(|line| line.starts_with("  Next:")).count(), 1);
    }

    #[test]
    fn an_age_is_said_in_its_two_greatest_units() {
        let minutes = |minutes| age(SignedDuration::from_mins(minutes));
        assert_eq!(minutes(0), "just now");
        assert_eq!(minutes(59), "59 min ago");
        assert_eq!(minutes(60), "1 h ago");
        assert_eq!(minutes(24 * 60 + 61), "1 d 1 h ago");
        assert_eq!(minutes(-24 * 60 * 3), "in 3 d");
    }
}
