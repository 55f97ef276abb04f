//! The golden cases that a plugin brings along, through its own component: a version that does not keep what it states
//! never goes into force.

use super::comparison::{CanaryResult, differ};
use super::{Case, CaseReading, Environment, PluginError, Plugins, Runtime};
use gateway_domain::FieldError;
use gateway_domain::StoreError;
use gateway_domain::fault::Fault;
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::{RegimeDescription, Sample};
use gateway_plugin_host::JsonError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::ToSchema;

/// Places shown of a sample that comes out differently.
const PLACES_MAX: usize = 3;

/// What became of a sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SampleResult {
    /// How the plugin calls it.
    #[schema(examples("standard-invoice"))]
    pub name: String,
    /// A clause that says what is wrong; null when it came out as stated.
    #[schema(required)]
    pub failure: Option<String>,
}

/// What is stated of a case that the gateway refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CaseErrors {
    /// At least one.
    pub errors: Vec<FieldError>,
}

/// What is stated of a case that the plugin refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CaseFaults {
    /// At least one.
    pub faults: Vec<Fault>,
}

impl<R: Runtime> Plugins<R> {
    /// Every sample of a plugin, in its own order; none when it brings none.
    pub(super) async fn try_samples(&self, plugin: &R::Plugin) -> Result<Vec<SampleResult>, PluginError> {
        let samples = match self.0.runtime.samples(plugin).await {
            Ok(samples) => samples,
            Err(ConverterError::Busy) => return Err(PluginError::Busy),
            Err(error) => return Err(PluginError::NotTried(error)),
        };
        let (_, description) = self.0.runtime.identify(plugin);
        let mut results = Vec::new();
        for sample in samples {
            let failure = match self.convert_sample(plugin, &sample, &description).await? {
                Ok(made) => compare(&sample.expected, &made),
                Err(why) => Some(why),
            };
            results.push(SampleResult { name: sample.name, failure });
        }
        Ok(results)
    }

    /// What the plugin makes of the case, or why nothing: a clause.
    async fn convert_sample(
        &self,
        plugin: &R::Plugin,
        sample: &Sample,
        description: &RegimeDescription,
    ) -> Result<Result<Value, String>, PluginError> {
        let ready = match read(sample, description) {
            Err(why) => return Ok(Err(why)),
            Ok(CaseReading::Unsupported(why)) => return Ok(Err(why)),
            Ok(CaseReading::Refused(errors)) => {
                return Ok(Ok(StoreError::json_value(&CaseErrors { errors })?));
            }
            Ok(CaseReading::Ready(ready)) => ready,
        };
        let (invoice, context) = *ready;
        let result =
            CanaryResult::of(self.0.runtime.trial(plugin, &invoice, &context).await, &invoice.totals)?;
        Ok(match result {
            CanaryResult::Converted { document, .. } => Ok(document),
            CanaryResult::Refused(faults) => Ok(StoreError::json_value(&CaseFaults { faults })?),
            CanaryResult::Broken(fault) => Err(fault.message),
        })
    }
}

fn read(sample: &Sample, description: &RegimeDescription) -> Result<CaseReading, String> {
    let around: Environment = match &sample.context {
        Some(context) => parse(context, "context")?,
        None => Environment::default(),
    };
    parse::<Case>(&sample.case, "case")?.read(&around, description)
}

fn parse<T: DeserializeOwned>(text: &str, what: &str) -> Result<T, String> {
    serde_json::from_str(text)
        .map_err(|error| format!("its {what} cannot be read: {}", JsonError::new(text, &error)))
}

/// A clause that says where it differs.
fn compare(expected: &str, made: &Value) -> Option<String> {
    let expected: Value = match parse(expected, "expectation") {
        Ok(expected) => expected,
        Err(why) => return Some(why),
    };
    let places = differ(&expected, made);
    if places.is_empty() {
        return None;
    }
    let named: Vec<_> = places.iter().take(PLACES_MAX).map(|place| format!("'{place}'")).collect();
    let more = match places.len().saturating_sub(PLACES_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("it differs from what it states at {}{more}", named.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_sample_says_where_it_differs() {
        let made = json!({"a": 1, "b": 2, "c": 3, "d": 4});
        assert_eq!(compare(&made.to_string(), &made), None);
        let why = compare(r#"{"a": 1, "b": 0, "c": 0, "d": 0, "e": 0}"#, &made).unwrap();
        assert_eq!(why, "it differs from what it states at '/b', '/c', '/d' and 1 more");
        let why = compare("{", &made).unwrap();
        assert!(why.contains("its expectation cannot be read") && why.ends_with("at '{⟨here⟩'"), "{why}");
    }
}
