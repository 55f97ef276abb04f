//! Figures as the format prints them.

use einvoice_plugin::Amount;
use serde::{Serialize, Serializer};

/// A decimal as the format prints it: a string with all its decimals.
#[derive(Debug, Clone, Copy)]
pub struct Money(pub Amount);

impl Default for Money {
    fn default() -> Self {
        Self(Amount::new(0, 2))
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[cfg(feature = "harness")]
impl<'de> serde::Deserialize<'de> for Money {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        read(&text).map(Self).ok_or_else(|| serde::de::Error::custom(format!("{text} is no amount")))
    }
}

/// A percentage: `21.0%` with the decimals of its regime's rate tables at least, and `0%`.
#[derive(Debug, Clone, Copy)]
pub struct Percent {
    /// 21.0 for `21.0%`.
    pub value: Amount,
    /// How many decimals are printed at least.
    pub decimals: u8,
}

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let printed =
            if self.value.is_zero() { Amount::new(0, 0) } else { self.value.canonical(self.decimals) };
        serializer.collect_str(&format_args!("{printed}%"))
    }
}

#[cfg(feature = "harness")]
impl<'de> serde::Deserialize<'de> for Percent {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let value = text.strip_suffix('%').and_then(read);
        let value = value.ok_or_else(|| serde::de::Error::custom(format!("{text} is no percentage")))?;
        Ok(Self { value, decimals: value.scale })
    }
}

#[cfg(feature = "harness")]
fn read(text: &str) -> Option<Amount> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percent_has_the_decimals_of_its_regime_at_least() {
        let printed = |units, scale, decimals| {
            serde_json::to_string(&Percent { value: Amount::new(units, scale), decimals })
        };
        for (units, scale, decimals, text) in [
            (21, 0, 1, "\"21.0%\""),
            (2100, 2, 1, "\"21.0%\""),
            (175, 2, 1, "\"1.75%\""),
            (190, 1, 0, "\"19%\""),
            (0, 3, 1, "\"0%\""),
        ] {
            assert_eq!(printed(units, scale, decimals).unwrap(), text);
        }
    }
}
