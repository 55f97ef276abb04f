//! Constructors that keep plugin code short.

use crate::{
    AmendDescription, Amount, Answer, CategoryChoice, Choice, Description, Document, EvidenceDescription,
    ExemptionName, Fault, PrintingDescription, Remark, Rounding, Severity, TaxName, Totals,
};

impl Fault {
    /// A fault that stops the document.
    ///
    /// `code` is stable for ever, `path` a JSON Pointer into the document as the platform knows it
    /// (`/recipient/tax_number`), `message` one sentence for a person with what to do next.
    ///
    /// ```
    /// use einvoice_plugin::Fault;
    /// let fault = Fault::error("XX-01", "/recipient", "The invoice has no recipient; name one.");
    /// assert!(fault.is_error());
    /// ```
    pub fn error(code: impl Into<String>, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), path: path.into(), message: message.into(), severity: Severity::Error }
    }

    /// A fault the operator decides about.
    pub fn warning(code: impl Into<String>, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, path, message) }
    }

    /// Whether it stops the document.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl Document {
    /// A JSON document, with the amount payable that the host compares with its own: as the document prints it, retentions taken
    /// off.
    ///
    /// ```
    /// use einvoice_plugin::{Amount, Document};
    /// let document = Document::json(r#"{"total":"121.00"}"#, Amount::new(12_100, 2));
    /// assert_eq!(document.media_type, "application/json");
    /// ```
    pub fn json(body: impl Into<String>, payable: Amount) -> Self {
        Self { media_type: "application/json".to_owned(), body: body.into(), payable }
    }
}

impl Answer {
    /// A message in XML, under the name of its file.
    pub fn xml(name: impl Into<String>, body: impl Into<String>) -> Self {
        Self { name: name.into(), media_type: "application/xml".to_owned(), body: body.into() }
    }
}

impl Remark {
    /// A remark that does not stop a document: the authority's code, and one sentence for a person.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
    }
}

impl Choice {
    /// A key that documents use (`article_20`), with a title for people, in English.
    pub fn new(key: impl Into<String>, title: impl Into<String>) -> Self {
        Self { key: key.into(), title: title.into() }
    }
}

impl CategoryChoice {
    /// A category of tax or retention (`VAT`) that takes any percent from 0 to 100.
    pub fn any_percent(key: impl Into<String>, title: impl Into<String>) -> Self {
        Self { key: key.into(), title: title.into(), rates: Vec::new() }
    }
}

impl AmendDescription {
    /// A system that takes a record again in which what stands at these paths, and below them, became another.
    ///
    /// ```
    /// use einvoice_plugin::AmendDescription;
    /// let amendable = AmendDescription::of(&["/notes", "/lines/*/description"]);
    /// assert_eq!(amendable.allowed_paths.len(), 2);
    /// ```
    pub fn of(allowed_paths: &[&str]) -> Self {
        Self { allowed_paths: allowed_paths.iter().copied().map(str::to_owned).collect() }
    }
}

impl EvidenceDescription {
    /// An authority that gives no address for verifying a document.
    pub fn without_address(duplicate_codes: &[&str]) -> Self {
        Self::at(&[], None, duplicate_codes)
    }

    /// An authority whose address for verifying a document has one of these hosts, and states the document's number in this
    /// query parameter, if in any.
    pub fn at(hosts: &[&str], number: Option<&str>, duplicate_codes: &[&str]) -> Self {
        let owned = |texts: &[&str]| texts.iter().copied().map(str::to_owned).collect();
        Self {
            verification_hosts: owned(hosts),
            verification_number: number.map(str::to_owned),
            duplicate_codes: owned(duplicate_codes),
        }
    }
}

impl PrintingDescription {
    /// Documents in this language (BCP 47), on which the country's tax identifiers have this label. No tax has a name yet, and
    /// nothing stands beside the QR code, which is 30 mm wide where an authority gives one.
    pub fn new(locale: impl Into<String>, tax_id_label: impl Into<String>) -> Self {
        Self {
            locale: locale.into(),
            tax_id_label: tax_id_label.into(),
            tax_names: Vec::new(),
            qr_caption: None,
            qr_side_mm: 30,
            legend: Vec::new(),
        }
    }
}

impl TaxName {
    /// What documents call the tax of a category: `VAT`, `IVA`.
    pub fn new(category: impl Into<String>, name: impl Into<String>) -> Self {
        Self { category: category.into(), name: name.into() }
    }
}

impl ExemptionName {
    /// What documents call the exemption of this key: in the breakdown by tax, and on a line, where there is little room.
    pub fn new(key: impl Into<String>, name: impl Into<String>, short_name: impl Into<String>) -> Self {
        Self { key: key.into(), name: name.into(), short_name: short_name.into() }
    }

    /// A table of key, name and short name.
    pub fn list(table: &[(&str, &str, &str)]) -> Vec<Self> {
        table.iter().map(|(key, name, short_name)| Self::new(*key, *name, *short_name)).collect()
    }
}

impl Totals {
    /// Of a document without lines: nought, with this many decimals.
    pub const fn zero(scale: u8) -> Self {
        let zero = Amount::new(0, scale);
        Self {
            sum: zero,
            tax_included: None,
            net: zero,
            tax: zero,
            gross: zero,
            retained: zero,
            payable: zero,
            categories: Vec::new(),
            retentions: Vec::new(),
        }
    }
}

impl Description {
    /// An empty description with settings that allow nothing; fill in the rest with `..`.
    pub fn new(rounding: Rounding) -> Self {
        Self {
            key: String::new(),
            title: String::new(),
            country: String::new(),
            tax_system: String::new(),
            version: String::new(),
            kinds: Vec::new(),
            categories: Vec::new(),
            exemptions: Vec::new(),
            retentions: Vec::new(),
            rounding,
            settings_schema: r#"{"type":"object","additionalProperties":false}"#.to_owned(),
            required_workspace_fields: Vec::new(),
            ext: Vec::new(),
        }
    }
}
