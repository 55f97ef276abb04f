//! The reference's examples, compared with what a plugin makes of them.

use std::path::Path;

use einvoice_gobl::harness::{examples, golden, invoice};
use einvoice_plugin::Country;
use serde_json::{Value, json};

use super::DIALECT;

/// The plugin makes of the examples of these names what the reference makes of them, apart from members that differ on
/// purpose; those `beyond` our document are refused for the reasons given. The error shows what is otherwise.
///
/// `GOBL_EXAMPLES` names the folder with `es-in` and `es-out`. Without it nothing is compared.
pub fn reproduced<C: Country>(
    examples: &[(&str, &'static [&'static str])],
    beyond: &[(&str, &str)],
) -> Result<(), String> {
    let Some(folder) = std::env::var_os("GOBL_EXAMPLES") else {
        eprintln!("did not run: GOBL_EXAMPLES names no folder with the reference's examples");
        return Ok(());
    };
    let read = |name: &str| {
        let of = |way: &str| Path::new(&folder).join(way).join(format!("{name}.json"));
        examples::read(&of("es-in"), &of("es-out"))
    };
    for (name, ignored) in examples {
        let (input, output) = read(name)?;
        let dialect = examples::Dialect { ignored, ..DIALECT };
        let example = examples::example(&input, dialect).map_err(|why| format!("{name}: {why}"))?;
        let ours =
            C::convert(&example.invoice, &example.context).map_err(|faults| format!("{name}: {faults:?}"))?;
        let differences = examples::differences(&ours.body, &output, dialect)?;
        if !differences.is_empty() {
            return Err(format!("{name}: {differences:#?}"));
        }
    }
    for (name, why) in beyond {
        match examples::example(&read(name)?.0, DIALECT) {
            Err(reason) if reason == *why => {}
            other => return Err(format!("{name} is not beyond us because {why}: {:?}", other.err())),
        }
    }
    Ok(())
}

/// A line of an example with this tax.
pub fn line(quantity: &str, unit_price: &str, tax: &Value) -> Value {
    json!({"description": "x", "quantity": quantity, "unit_price": unit_price, "tax": tax})
}

/// The tax of a line without VAT, for this reason.
pub fn untaxed(exemption: &str) -> Value {
    json!({"category": "VAT", "exemption": exemption})
}

/// The totals a plugin prints for a document: net, tax, gross.
pub fn figures<C: Country>(document: &Value) -> Result<[String; 3], String> {
    let converted = C::convert(&invoice(document)?, &golden::usual());
    let body = converted.map_err(|faults| format!("{faults:?}"))?.body;
    let printed: Value = serde_json::from_str(&body).map_err(|error| error.to_string())?;
    let figure = |member: &str| {
        let found = printed.pointer(&format!("/totals/{member}")).and_then(Value::as_str);
        found.unwrap_or_default().to_owned()
    };
    Ok(["total", "tax", "total_with_tax"].map(figure))
}
