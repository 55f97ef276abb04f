//! A plugin that misbehaves on demand.
//!
//! The first word of a text it is given says how: an invoice's notes, a recipient's name, a job, a document of the
//! sandbox. What it does in `describe`, which is given nothing, stands in `STEERING`, which a test overwrites in
//! the finished component.

mod listing;

use einvoice_plugin::{
    Amount, Answer, Answers, Authority, CategoryChoice, Choice, Context, Country, DecidingDate, Description,
    Document, DocumentKind, Evidence, EvidenceDescription, Fault, Faults, Filing, Identity, Invoice, Outcome,
    ProviderResult, RateChoice, RateTotal, Recipient, Rejection, Rounding, RuleKind, RuleSet, Rules, Sample,
    Samples, Submission, TaxIdentity, Verdict,
};
use std::hint::black_box;

/// Behaviour of `describe`, padded with dots. Kept in one piece for tests to find.
static STEERING: [u8; 32] = *b"DESCRIBE=SOUND..................";

/// The plugin.
#[derive(Debug)]
pub struct Hostile;

/// Does what `word` says, if that is the end of it; returns for every other word.
fn misbehave(word: &str) {
    match word {
        "LOOP" => endless(),
        "BOMB" => bomb(),
        "RECURSE" => {
            black_box(recurse(black_box(0)));
        }
        "PANIC" => panicking(),
        "TRAP" => trap(),
        _ => {}
    }
}

fn endless() {
    let mut turns = 0_u64;
    while black_box(true) {
        turns = black_box(turns.wrapping_add(1));
    }
}

fn bomb() {
    let mut hoard: Vec<Vec<u8>> = Vec::new();
    while black_box(true) {
        hoard.push(black_box(vec![1; 1 << 20]));
    }
}

fn recurse(depth: u64) -> u64 {
    if depth == u64::MAX {
        return depth;
    }
    let frame = black_box([depth; 32]);
    let deeper = recurse(depth.wrapping_add(1));
    black_box(frame).iter().fold(deeper, |sum, value| sum.wrapping_add(*value))
}

#[expect(clippy::panic, reason = "this is what it is for")]
fn panicking() {
    panic!("as asked");
}

/// The instruction that no compiler emits on purpose.
fn trap() {
    #[cfg(target_family = "wasm")]
    core::arch::wasm32::unreachable();
}

#[expect(unsafe_code, reason = "this is what it is for")]
fn invalid_utf8() -> String {
    // SAFETY: none. The host has to notice.
    unsafe { String::from_utf8_unchecked(vec![b'"', 0xff, 0xfe, b'"']) }
}

fn word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// What `describe` was told to do.
fn steering() -> String {
    let steering = black_box(STEERING);
    String::from_utf8_lossy(&steering).trim_end_matches('.').trim_start_matches("DESCRIBE=").to_owned()
}

/// A refusal from a day of issue on (`REFUSED-FROM 2027-01-01`), or by the component that was told so (`REFUSED-BY OTHER-VERSION`), which
/// else traps (`TRAP-BY OTHER-VERSION`).
fn refuse_now(invoice: &Invoice) -> Option<Fault> {
    let mut words = invoice.notes.as_deref().unwrap_or_default().split_whitespace();
    let (what, whom) = (words.next()?, words.next()?);
    let is_refused = match what {
        "REFUSED-FROM" => invoice.issue_date.as_str() >= whom,
        "REFUSED-BY" => steering() == whom,
        "TRAP-BY" => {
            if steering() == whom {
                trap();
            }
            false
        }
        _ => false,
    };
    is_refused.then(|| Fault::error("HOSTILE-05", "/notes", "As told; write other notes."))
}

/// Refusals that are no refusals, and a proper one.
fn refuse(word: &str) -> Result<(), Faults> {
    match word {
        "FAULTS" => Err(vec![Fault::error("HOSTILE-01", "/notes", "As asked; write other notes.")]),
        "EMPTY-FAULTS" => Err(Vec::new()),
        "WARNINGS-ONLY" => Err(vec![Fault::warning("HOSTILE-02", "/notes", "As asked.")]),
        "BLANK-FAULT" => Err(vec![Fault::error("", "", " ")]),
        "LONG-FAULT" => Err(vec![Fault::error("HOSTILE-03", "", "x".repeat(1 << 20))]),
        "MANY-FAULTS" => Err(vec![Fault::error("HOSTILE-04", "", "One of many."); 5000]),
        _ => Ok(()),
    }
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

/// A document that the gateway finds nothing wrong with.
fn sound(invoice: &Invoice) -> Document {
    let totals = &invoice.totals;
    let row = |rate: &RateTotal| {
        let percent = rate.rate.map(|percent| format!(r#""percent":"{percent}%","#)).unwrap_or_default();
        format!(r#"{{{percent}"base":"{}","amount":"{}"}}"#, rate.base, rate.amount)
    };
    let categories = totals.categories.iter().map(|category| {
        let rates = category.rates.iter().map(row).collect::<Vec<_>>().join(",");
        let (code, amount) = (quoted(&category.category), category.amount);
        format!(r#"{{"code":{code},"rates":[{rates}],"amount":"{amount}"}}"#)
    });
    let categories = categories.collect::<Vec<_>>().join(",");
    let (payable, gross, uuid) = (totals.payable, totals.gross, &invoice.uuid);
    let schema = "https://gobl.org/draft-0/bill/invoice";
    let body = format!(
        r#"{{"$schema":"{schema}","uuid":"{uuid}","totals":{{"payable":"{payable}","total_with_tax":"{gross}","taxes":{{"categories":[{categories}]}}}}}}"#
    );
    Document::json(body, payable)
}

impl Country for Hostile {
    fn describe() -> Description {
        let steering = black_box(STEERING);
        let text = String::from_utf8_lossy(&steering);
        let word = text.trim_end_matches('.').trim_start_matches("DESCRIBE=").to_owned();
        misbehave(&word);
        let sound = Description {
            key: "hostile".into(),
            title: "Nowhere".into(),
            country: "XX".into(),
            tax_system: "NONE".into(),
            version: "1.2.3".into(),
            kinds: vec![DocumentKind::Invoice],
            categories: vec![CategoryChoice {
                key: "VAT".into(),
                title: "Tax".into(),
                rates: vec![RateChoice {
                    key: "general".into(),
                    title: "General".into(),
                    percent: Amount::new(21, 0),
                    surcharge: None,
                    since: Some("2012-09-01".into()),
                }],
            }],
            ..Description::new(Rounding::Precise)
        };
        match word.as_str() {
            "OTHER-VERSION" => Description { version: "2.0.0".into(), ..sound },
            "SPANISH" => Description {
                key: "es-verifactu".into(),
                country: "ES".into(),
                version: "9.0.0".into(),
                ..sound
            },
            _ if word.starts_with("RULES-") => Description { version: "1.3.0".into(), ..sound },
            "OTHER-KEY" => Description { key: "other".into(), ..sound },
            "BAD-KEY" => Description { key: "../Etc".into(), ..sound },
            "BAD-VERSION" => Description { version: "newest".into(), ..sound },
            "BAD-COUNTRY" => Description { country: "Spain".into(), ..sound },
            "BAD-SCHEMA" => Description { settings_schema: "{".into(), ..sound },
            "NO-SCHEMA" => Description { settings_schema: r#"{"type":"nonsense"}"#.into(), ..sound },
            "LONG-TITLE" => Description { title: "x".repeat(2 << 20), ..sound },
            "MANY-CHOICES" => {
                Description { exemptions: vec![Choice::new("article_20", "Article 20"); 20_000], ..sound }
            }
            "NO-KINDS" => Description { kinds: Vec::new(), ..sound },
            "BAD-RATE" => Description {
                retentions: vec![CategoryChoice {
                    key: "IRPF".into(),
                    title: "Retention".into(),
                    rates: vec![RateChoice {
                        key: "general".into(),
                        title: "General".into(),
                        percent: Amount::new(1, 19),
                        surcharge: None,
                        since: None,
                    }],
                }],
                ..sound
            },
            _ => sound,
        }
    }

    fn check(invoice: &Invoice, _: &Context) -> Vec<Fault> {
        let word = word(invoice.notes.as_deref().unwrap_or_default());
        misbehave(word);
        let mut faults = refuse(word).err().unwrap_or_default();
        faults.extend(refuse_now(invoice));
        faults
    }

    fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
        let word = word(invoice.notes.as_deref().unwrap_or_default());
        misbehave(word);
        refuse(word)?;
        let payable = invoice.totals.payable;
        Ok(match word {
            "ECHO" => Document::json(quoted(&format!("{invoice:#?}\n{context:#?}")), payable),
            "SOUND" => sound(invoice),
            "BIG" => Document::json(quoted(&"x".repeat(5 << 20)), payable),
            "HUGE" => Document { media_type: "text/plain".into(), body: "x".repeat(17 << 20), payable },
            "HUGEST" => Document { media_type: "text/plain".into(), body: "x".repeat(64 << 20), payable },
            "UTF8" => Document::json(invalid_utf8(), payable),
            "BROKEN-JSON" => {
                Document::json("{\n  \"totals\": {\n    \"payable\": 121.00,\n  }\n}\n", payable)
            }
            "NO-JSON" => Document::json("{", payable),
            "NO-TYPE" => Document { media_type: String::new(), body: "x".into(), payable },
            "SCALE" => Document::json("{}", Amount::new(1, 255)),
            "PAYABLE" => Document::json("{}", Amount::new(payable.units + 1, payable.scale)),
            _ => Document::json("{}", payable),
        })
    }

    fn map_identity(recipient: &Recipient) -> Result<Identity, Faults> {
        let (Recipient::Individual(einvoice_plugin::Individual { name, .. })
        | Recipient::Company(einvoice_plugin::Company { name, .. })) = recipient;
        misbehave(word(name));
        refuse(word(name))?;
        Ok(Identity::TaxId(TaxIdentity { country: "XX".into(), code: name.clone() }))
    }

    fn interpret(report: &ProviderResult) -> Result<Verdict, Faults> {
        misbehave(word(&report.job));
        refuse(word(&report.job))?;
        let reason = if report.job == "BLANK" { String::new() } else { format!("{report:?}") };
        Ok(Verdict::Rejected(Rejection { code: None, reason, faults: Vec::new() }))
    }
}

impl Authority for Hostile {
    fn file(document: &str) -> Result<Filing, Faults> {
        misbehave(word(document));
        refuse(word(document))?;
        Ok(Filing { chain: "chain".into(), record_key: document.to_owned() })
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        misbehave(word(&submission.document));
        refuse(word(&submission.document))?;
        Ok(Outcome {
            accepted: true,
            stamps: Vec::new(),
            faults: Vec::new(),
            record: submission.previous.clone(),
            payload: Some(format!("{submission:?}")),
        })
    }
}

impl Answers for Hostile {
    fn answers(submission: &Submission, outcome: &Outcome) -> Vec<Answer> {
        let word = word(&submission.document);
        misbehave(word);
        let answer = Answer::xml("answer.xml", format!("{submission:?} {outcome:?}"));
        match word {
            "ANSWERS-MANY" => vec![answer; 11],
            "ANSWERS-PATH" => vec![Answer { name: "../answer.xml".into(), ..answer }],
            "ANSWERS-LONG" => vec![Answer { body: "x".repeat((1 << 20) + 1), ..answer }],
            _ => vec![answer],
        }
    }
}

impl Rules for Hostile {
    fn rule_sets() -> Vec<RuleSet> {
        let set = |id: &str, from: &str| {
            RuleSet::new(id, RuleKind::Codes, from, "Notes change (act 1/2026).").by(DecidingDate::Operation)
        };
        let word = steering();
        if word == "RULES-PANIC" {
            panicking();
        }
        match word.strip_prefix("RULES-") {
            Some("MANY") => (0..1000).map(|n| set(&format!("r{n}"), "2027-01-01")).collect(),
            Some("TWICE") => vec![set("notes", "2027-01-01"), set("notes", "2028-01-01")],
            Some("DAY") => vec![set("notes", "soon")],
            Some("BACKWARDS") => vec![set("notes", "2027-01-01").until("2026-01-01")],
            Some(day) => vec![set("notes", day)],
            None => vec![set("notes", "2027-01-01")],
        }
    }
}

impl Samples for Hostile {
    fn samples() -> Vec<Sample> {
        let steering = black_box(STEERING);
        let text = String::from_utf8_lossy(&steering);
        let sample = |name: &str| Sample {
            name: name.to_owned(),
            case: r#"{"document":{"issue_date":"2026-11-20","notes":"fine"}}"#.to_owned(),
            context: None,
            expected: "{}".to_owned(),
        };
        match text.trim_end_matches('.').trim_start_matches("DESCRIBE=") {
            "SAMPLES-PANIC" => panicking(),
            "SAMPLES-MANY" => return vec![sample("again"); 1000],
            _ => {}
        }
        vec![sample("plain")]
    }
}

impl Evidence for Hostile {
    fn evidence() -> EvidenceDescription {
        let steering = black_box(STEERING);
        let text = String::from_utf8_lossy(&steering);
        let host = "verify.hostile.example";
        match text.trim_end_matches('.').trim_start_matches("DESCRIBE=") {
            "EVIDENCE-PANIC" => panicking(),
            "EVIDENCE-LOOP" => endless(),
            "EVIDENCE-MANY" => return EvidenceDescription::at(&vec![host; 10_000], None, &[]),
            "EVIDENCE-LONG" => return EvidenceDescription::at(&[], None, &[&"4".repeat(256)]),
            "EVIDENCE-HOST" => return EvidenceDescription::at(&["not a host"], None, &[]),
            "EVIDENCE-BLANK" => return EvidenceDescription::at(&[host], None, &[""]),
            _ => {}
        }
        EvidenceDescription::at(&[host], Some("number"), &["TWICE"])
    }
}
