//! What an authority wants to stand on a document that people read: releases 1.3 and 1.4 of the contract, `wit/v1.3` and
//! `wit/v1.4`.

use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// What a plugin says of documents that people read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PrintingDescription {
    /// The language of documents where nobody asks for another, BCP 47.
    #[schema(examples("es"))]
    pub locale: String,
    /// What a tax identifier of the country is called.
    #[schema(examples("NIF"))]
    pub tax_id_label: String,
    /// What taxes are called, by the keys of their categories.
    pub tax_names: BTreeMap<String, String>,
    /// What reasons why no tax is charged are called, by their keys.
    pub exemption_names: BTreeMap<String, ExemptionName>,
    /// What stands above the QR code; null: nothing does.
    #[schema(required, examples("QR tributario:"))]
    pub qr_caption: Option<String>,
    /// The least length of a side of that code, in millimetres.
    #[schema(examples(30))]
    pub qr_side_mm: u8,
    /// What stands below it, a line each.
    pub legend: Vec<String>,
}

/// What a reason why no tax is charged is called on a document, in the language of the documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExemptionName {
    /// By the words that the law asks for.
    #[schema(examples("Inversión del sujeto pasivo"))]
    pub name: String,
    /// The same where there is little room.
    #[schema(examples("Exenta, art. 20"))]
    pub short_name: String,
}
