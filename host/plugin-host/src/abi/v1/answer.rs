//! From the guest's types to the domain's. A guest is not trusted: what cannot be used is a defect of the plugin.

use super::{samples, sandbox, wit};
use crate::defect::{Failure, unreadable, unusable};
use gateway_domain::fault::{Fault, Severity};
use gateway_domain::money::{Amount, Percent};
use gateway_domain::regime::{
    AuthorityOutcome, CategoryChoice, Choice, Identity, ProviderFault, RateChoice, RegimeDescription,
    RegimeDocumentKind, RegimeKey, Remark, Rounding, Sample, Stamp, StructuredDocument, Verdict,
};
use jiff::civil::Date;

/// Faults and remarks of one answer.
const FAULTS_MAX: usize = 1000;
/// Characters of a text for people, together with code and path.
const TEXT_BYTES_MAX: usize = 16 << 10;
/// Samples of a plugin: each is converted twice before the plugin goes into force.
const SAMPLES_MAX: usize = 100;

/// Entries of a description, all its lists together.
const ENTRIES_MAX: usize = 10_000;
/// Bytes of a description, all its texts together.
const DESCRIPTION_BYTES_MAX: usize = 1 << 20;

pub(super) fn document(document: wit::Document) -> Result<StructuredDocument, Failure> {
    let payable = amount(document.payable)?;
    if document.media_type.trim().is_empty() {
        return Err(unusable("a document without a media type"));
    }
    if is_json(&document.media_type)
        && let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&document.body)
    {
        let what = format!("a document that is no valid {}", document.media_type);
        return Err(unreadable(what, &document.body, &error));
    }
    Ok(StructuredDocument { media_type: document.media_type, body: document.body, payable })
}

/// `application/json`, `application/vnd.gobl+json; charset=utf-8`.
fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    essence.ends_with("/json") || essence.ends_with("+json")
}

pub(super) fn identity(identity: wit::Identity) -> Result<Identity, Failure> {
    let texts = match &identity {
        wit::Identity::TaxId(id) => vec![&id.country, &id.code],
        wit::Identity::Other(id) => vec![&id.country, &id.code, &id.type_key, &id.type_code],
    };
    if texts.iter().fold(0_usize, |sum, text| sum.saturating_add(text.len())) > TEXT_BYTES_MAX {
        return Err(Failure::Oversize("an identity with a text of too many bytes", TEXT_BYTES_MAX));
    }
    Ok(match identity {
        wit::Identity::TaxId(id) => Identity::TaxId { country: id.country, code: id.code },
        wit::Identity::Other(id) => Identity::Other {
            country: id.country,
            code: id.code,
            type_key: id.type_key,
            type_code: id.type_code,
        },
    })
}

pub(super) fn verdict(verdict: wit::Verdict) -> Result<Verdict, Failure> {
    let spoken = |text: String| {
        if text.trim().is_empty() { Err(unusable("a verdict without a reason")) } else { Ok(text) }
    };
    match verdict {
        wit::Verdict::Accepted(acceptance) => {
            ensure_faults_max(acceptance.warnings.len())?;
            let remarks = acceptance.warnings.into_iter();
            let remarks = remarks.map(|remark| Remark { code: remark.code, message: remark.message });
            Ok(Verdict::Accepted {
                qr_url: acceptance.qr_url,
                tax_system_hash: acceptance.tax_system_hash,
                warnings: remarks.collect(),
            })
        }
        wit::Verdict::Rejected(rejection) => Ok(Verdict::Rejected {
            code: rejection.code,
            reason: spoken(rejection.reason)?,
            faults: faults(rejection.faults)?,
        }),
        wit::Verdict::Undecided(reason) => Ok(Verdict::Undecided { reason: spoken(reason)? }),
    }
}

pub(super) fn outcome(outcome: sandbox::Outcome) -> AuthorityOutcome {
    let stamps = outcome.stamps.into_iter();
    let faults = outcome.faults.into_iter().map(|fault| ProviderFault {
        provider: fault.provider,
        code: fault.code,
        message: fault.message,
        paths: fault.paths,
    });
    AuthorityOutcome {
        accepted: outcome.accepted,
        stamps: stamps.map(|stamp| Stamp { provider: stamp.provider, value: stamp.value }).collect(),
        faults: faults.collect(),
        record: outcome.record,
        payload: outcome.payload,
    }
}

pub(super) fn samples(samples: Vec<samples::Sample>) -> Result<Vec<Sample>, Failure> {
    if samples.len() > SAMPLES_MAX {
        return Err(Failure::Oversize("too many samples", SAMPLES_MAX));
    }
    let samples = samples.into_iter();
    let sample = |samples::Sample { name, case, context, expected }| Sample { name, case, context, expected };
    Ok(samples.map(sample).collect())
}

/// The guest refused its input: its faults, or what is wrong with them.
pub(super) fn refusal(refused: Vec<wit::Fault>) -> Failure {
    faults(refused).map_or_else(|defect| defect, Failure::Refused)
}

pub(super) fn faults(faults: Vec<wit::Fault>) -> Result<Vec<Fault>, Failure> {
    ensure_faults_max(faults.len())?;
    faults.into_iter().map(fault).collect()
}

fn fault(fault: wit::Fault) -> Result<Fault, Failure> {
    if fault.code.trim().is_empty() || fault.message.trim().is_empty() {
        return Err(unusable("a fault without code or message"));
    }
    if fault.code.len().saturating_add(fault.path.len()).saturating_add(fault.message.len()) > TEXT_BYTES_MAX
    {
        return Err(Failure::Oversize("a fault with a text of too many bytes", TEXT_BYTES_MAX));
    }
    let severity = match fault.severity {
        wit::Severity::Error => Severity::Error,
        wit::Severity::Warning => Severity::Warning,
    };
    Ok(Fault { code: fault.code, path: fault.path, message: fault.message, severity })
}

const fn ensure_faults_max(count: usize) -> Result<(), Failure> {
    if count > FAULTS_MAX { Err(Failure::Oversize("too many faults", FAULTS_MAX)) } else { Ok(()) }
}

pub(super) fn description(description: wit::Description) -> Result<RegimeDescription, Failure> {
    moderate(&description)?;
    let key =
        RegimeKey::try_from(description.key).map_err(|error| unusable(format!("a wrong key ({error})")))?;
    if semver::Version::parse(&description.version).is_err() {
        return Err(unusable(format!("the version '{}', which is no semantic version", description.version)));
    }
    let country = description.country;
    if country.len() != 2 || !country.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Err(unusable(format!("the country '{country}', which is no ISO 3166-1 alpha-2 code")));
    }
    let schema: serde_json::Value = serde_json::from_str(&description.settings_schema).map_err(|error| {
        unreadable("a settings schema that is no JSON", &description.settings_schema, &error)
    })?;
    if !schema.is_object() {
        return Err(unusable("a settings schema that is no JSON object"));
    }
    if let Err(error) = jsonschema::meta::validate(&schema) {
        return Err(unusable(format!("a settings schema that is no JSON Schema ({error})")));
    }
    if description.kinds.is_empty() {
        return Err(unusable("no kind of document that it converts"));
    }
    Ok(RegimeDescription {
        key,
        title: description.title,
        country,
        tax_system: description.tax_system,
        version: description.version,
        kinds: description.kinds.into_iter().map(kind).collect(),
        categories: categories(description.categories)?,
        exemptions: description.exemptions.into_iter().map(choice).collect(),
        retentions: categories(description.retentions)?,
        rounding: match description.rounding {
            wit::Rounding::Precise => Rounding::Precise,
            wit::Rounding::Currency => Rounding::Currency,
        },
        settings_schema: schema,
        required_workspace_fields: description.required_workspace_fields,
        ext: description.ext.into_iter().map(|ext| Choice { key: ext.key, title: ext.value }).collect(),
    })
}

/// A description stays in memory and goes to every client that asks: what no tax system needs is refused.
fn moderate(description: &wit::Description) -> Result<(), Failure> {
    let mut entries = description.kinds.len();
    let texts = [
        &description.key,
        &description.title,
        &description.country,
        &description.tax_system,
        &description.version,
        &description.settings_schema,
    ];
    let mut bytes = 0_usize;
    let mut count = |text: &String| bytes = bytes.saturating_add(text.len());
    texts.into_iter().chain(&description.required_workspace_fields).for_each(&mut count);
    for choice in &description.exemptions {
        [&choice.key, &choice.title].into_iter().for_each(&mut count);
    }
    for ext in &description.ext {
        [&ext.key, &ext.value].into_iter().for_each(&mut count);
    }
    for category in description.categories.iter().chain(&description.retentions) {
        [&category.key, &category.title].into_iter().for_each(&mut count);
        category.rates.iter().flat_map(|rate| [&rate.key, &rate.title]).for_each(&mut count);
        entries = entries.saturating_add(category.rates.len());
    }
    for more in [
        description.categories.len(),
        description.retentions.len(),
        description.exemptions.len(),
        description.required_workspace_fields.len(),
        description.ext.len(),
    ] {
        entries = entries.saturating_add(more);
    }
    if entries > ENTRIES_MAX {
        return Err(Failure::Oversize("a description of too many entries", ENTRIES_MAX));
    }
    if bytes > DESCRIPTION_BYTES_MAX {
        return Err(Failure::Oversize("a description of too many bytes", DESCRIPTION_BYTES_MAX));
    }
    Ok(())
}

const fn kind(kind: wit::DocumentKind) -> RegimeDocumentKind {
    match kind {
        wit::DocumentKind::Invoice => RegimeDocumentKind::Invoice,
        wit::DocumentKind::SimplifiedInvoice => RegimeDocumentKind::SimplifiedInvoice,
        wit::DocumentKind::ReplacementInvoice => RegimeDocumentKind::ReplacementInvoice,
        wit::DocumentKind::CreditNote => RegimeDocumentKind::CreditNote,
        wit::DocumentKind::DebitNote => RegimeDocumentKind::DebitNote,
    }
}

fn categories(categories: Vec<wit::CategoryChoice>) -> Result<Vec<CategoryChoice>, Failure> {
    let category = |category: wit::CategoryChoice| {
        let rates = category.rates.into_iter().map(rate).collect::<Result<_, _>>()?;
        Ok(CategoryChoice { key: category.key, title: category.title, rates })
    };
    categories.into_iter().map(category).collect()
}

fn rate(rate: wit::RateChoice) -> Result<RateChoice, Failure> {
    let day = |text: String| {
        text.parse::<Date>().map_err(|_| unusable(format!("the date '{text}', which is none")))
    };
    Ok(RateChoice {
        key: rate.key,
        title: rate.title,
        percent: percent(rate.percent)?,
        surcharge: rate.surcharge.map(percent).transpose()?,
        since: rate.since.map(day).transpose()?,
    })
}

fn choice(choice: wit::Choice) -> Choice {
    Choice { key: choice.key, title: choice.title }
}

pub(super) fn amount(amount: wit::Amount) -> Result<Amount, Failure> {
    Amount::new(amount.units, amount.scale)
        .map_err(|_| unusable(format!("an amount with {} decimals, which is more than 18", amount.scale)))
}

fn percent(percent: wit::Amount) -> Result<Percent, Failure> {
    Percent::new(amount(percent)?).map_err(|_| unusable("a percentage with too many digits"))
}
