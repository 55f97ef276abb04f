//! Decimals of a structured document, and the faults of those that cannot be read or differ.

use gateway_domain::money::{Amount, Percent};
use gateway_domain::regime::ProviderFault;
use serde_json::Value;

/// A stated figure differs from the computed one.
pub(crate) const TOTALS: &str = "GOBL-SANDBOX-TOTALS-01";
/// A member cannot be read as what it should be.
pub(crate) const INPUT: &str = "GOBL-SANDBOX-INPUT-01";

/// Reads decimals and collects complaints about the ones that are none.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    faults: Vec<ProviderFault>,
}

impl Reader {
    /// Whether there is nothing to complain about so far.
    pub(crate) fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }

    /// The complaints, in the order they were found.
    pub(crate) fn into_faults(self) -> Vec<ProviderFault> {
        self.faults
    }

    /// Complains, once per code and path.
    pub(crate) fn fault(&mut self, code: &str, path: &str, message: &str) {
        let fault = ProviderFault {
            provider: Some("gobl".to_owned()),
            code: Some(code.to_owned()),
            message: Some(message.to_owned()),
            paths: vec![path.to_owned()],
        };
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// A decimal: a string, or a plain number as the format allows on input. None when absent.
    pub(crate) fn amount(&mut self, value: Option<&Value>, path: &str) -> Option<Amount> {
        let text = match value? {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Null => return None,
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => String::new(),
        };
        match text.parse() {
            Ok(amount) => Some(amount),
            Err(error) => {
                self.fault(INPUT, path, &format!("{error}"));
                None
            }
        }
    }

    /// A decimal that has to be there; complains with `code` when it is not.
    pub(crate) fn required(&mut self, value: Option<&Value>, path: &str, code: &str) -> Amount {
        if value.is_none_or(Value::is_null) {
            self.fault(code, path, "is required");
        }
        self.amount(value, path).unwrap_or(Amount::ZERO)
    }

    /// A percentage: "10.0%", or the fraction "0.100". None when absent.
    pub(crate) fn percent(&mut self, value: Option<&Value>, path: &str) -> Option<Percent> {
        let percent = match value?.as_str().and_then(|text| text.strip_suffix('%')) {
            Some(digits) => self.amount(Some(&Value::String(digits.to_owned())), path)?,
            None => hundredfold(self.amount(value, path)?)?,
        };
        Percent::new(percent).ok()
    }

    /// Compares a stated decimal with the computed one.
    pub(crate) fn same(&mut self, stated: Option<&Value>, path: &str, computed: Amount) {
        match self.amount(stated, path) {
            Some(amount) if amount.same_value(computed) => {}
            Some(amount) => self.fault(TOTALS, path, &format!("is {amount}, the lines give {computed}")),
            None => self.fault(TOTALS, path, &format!("is missing, the lines give {computed}")),
        }
    }
}

/// A fraction as a percentage: 0.21 is 21.
fn hundredfold(fraction: Amount) -> Option<Amount> {
    let wide = fraction.rescale_up(2).ok()?;
    Amount::new(wide.units(), wide.scale().saturating_sub(2)).ok()
}
