//! A log of notices, and somebody who mails them.

use async_trait::async_trait;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::InvoiceNumber;
use gateway_domain::ports::Clock;
use gateway_domain_events::notices::{Notice, NoticeKind, NoticeSubject, PerWorkspace};
use gateway_events::{Consumers, Events, Round, append_notice};
use gateway_mail::{
    MailError, MailMessage, MailRound, MailSettings, MailTransport, NoticeMail, NoticeQueue, Parts,
};
use gateway_storage::testing::{self, RandomIds, TestClock, TestDb, samples};
use jiff::{SignedDuration, Timestamp};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Keeps what it is handed, unless it is broken.
#[derive(Debug, Default)]
pub(crate) struct ScriptedTransport {
    sent: Mutex<Vec<MailMessage>>,
    refuses: Mutex<Option<&'static str>>,
}

#[async_trait]
impl MailTransport for ScriptedTransport {
    async fn send(&self, message: &MailMessage) -> Result<(), MailError> {
        if let Some(recipient) = *self.refuses.lock().unwrap()
            && message.to.iter().any(|address| address.as_str() == recipient)
        {
            return Err(MailError::Refused("451 try again later".to_owned()));
        }
        self.sent.lock().unwrap().push(message.clone());
        Ok(())
    }
}

pub(crate) struct World {
    pub(crate) db: TestDb,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) transport: Arc<ScriptedTransport>,
    events: Events,
    queue: NoticeQueue,
    mail: NoticeMail,
}

/// The same test on both databases, with workspaces 1 and 2, in Madrid.
pub(crate) async fn worlds(to: &[&str], quiet_hours: &[&str]) -> Vec<World> {
    let mut worlds = Vec::new();
    for db in testing::both().await {
        worlds.push(World::on(db, to, quiet_hours).await);
    }
    worlds
}

impl World {
    async fn on(db: TestDb, to: &[&str], quiet_hours: &[&str]) -> Self {
        for workspace in [1, 2] {
            samples::stored_workspace(db.db(), workspace).await;
        }
        let clock = Arc::new(TestClock::at("2026-11-20T09:00:00Z".parse().unwrap()));
        let transport = Arc::new(ScriptedTransport::default());
        let events = Events::new(db.db().clone(), clock.clone(), Arc::new(RandomIds));
        let to = PerWorkspace::parse(to.iter().copied()).unwrap();
        let queue = NoticeQueue::new(to.clone());
        let mail = NoticeMail::new(Parts {
            db: db.db().clone(),
            clock: clock.clone(),
            transport: transport.clone(),
            settings: MailSettings {
                from: "gateway@example.org".parse().unwrap(),
                to,
                every: SignedDuration::from_mins(15),
                quiet_hours: PerWorkspace::parse(quiet_hours.iter().copied()).unwrap(),
                console_url: Some("http://inside.example/".to_owned()),
            },
        });
        Self { db, clock, transport, events, queue, mail }
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn pass(&self, minutes: i64) {
        self.clock.advance(SignedDuration::from_mins(minutes));
    }

    /// A submission of a workspace waits for somebody, and the consumer learns of it.
    pub(crate) async fn alerted(&self, workspace: Option<i64>, document: u128) {
        let subject = NoticeSubject::Document {
            id: InvoiceId(Uuid::from_u128(document)),
            number: Some(InvoiceNumber(format!("F-{document}"))),
        };
        let notice = Notice {
            kind: NoticeKind::SubmissionAlerted,
            workspace: workspace.map(WorkspaceId),
            subject,
            code: "retriesExhausted".to_owned(),
            message: "the provider was away".to_owned(),
            next_command: format!("gateway submission retry {document}"),
            since: self.now(),
        };
        let mut tx = self.db.begin().await.unwrap();
        append_notice(&mut tx, &RandomIds, self.now(), &notice).await.unwrap();
        tx.commit().await.unwrap();
        while self.events.relay().await.unwrap() > 0 {}
        let consumers = Consumers::new(self.events.clone(), []);
        while !matches!(consumers.consume(&self.queue).await.unwrap(), Round::Done { handled: 0, .. }) {}
    }

    /// A round of a process.
    pub(crate) async fn round(&self, owner: &str) -> MailRound {
        self.mail.mail_due(owner, &CancellationToken::new()).await.unwrap()
    }

    /// The messages of rounds of one process until now, to whom and about what; they are forgotten.
    pub(crate) async fn mailed(&self) -> Vec<(String, String)> {
        self.round("me").await;
        self.messages().into_iter().map(|message| (joined(&message), message.subject)).collect()
    }

    pub(crate) fn messages(&self) -> Vec<MailMessage> {
        std::mem::take(&mut self.transport.sent.lock().unwrap())
    }

    /// The server takes nothing for this recipient; none: everything.
    pub(crate) fn refuse(&self, recipient: Option<&'static str>) {
        *self.transport.refuses.lock().unwrap() = recipient;
    }
}

fn joined(message: &MailMessage) -> String {
    message.to.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
