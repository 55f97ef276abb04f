//! One invoice with any number of lines, in the records of the host and in those of the renderer: the contract gives both the
//! same names.

/// Makes the request in the types of one side.
macro_rules! request {
    ($name:ident, $($types:tt)+) => {
        /// An invoice of Spain with this many lines.
        pub(crate) fn $name(lines: usize) -> $($types)+::Request {
            use $($types)+::{
                Document, DocumentKind, Line, Party, QrCode, Request, Stamp, TaxIdentifier, TaxRow, Totals,
            };
            let party = |name: &str, tax_id: &str| Party {
                name: name.to_owned(),
                tax_id: Some(TaxIdentifier { label: "NIF".to_owned(), value: tax_id.to_owned() }),
                address: vec!["Calle Mayor 1".to_owned(), "28013 Madrid".to_owned(), "ES".to_owned()],
                email: None,
                ext: Vec::new(),
            };
            let line = |index: usize| Line {
                description: format!("Alojamiento, noche {index}"),
                quantity: "2".to_owned(),
                unit_price: "100.00".to_owned(),
                discount: None,
                total: "200.00".to_owned(),
                taxes: vec!["IVA 10 %".to_owned()],
                ext: Vec::new(),
            };
            let (net, tax, gross) = (lines * 200, lines * 20, lines * 220);
            let document = Document {
                kind: DocumentKind::Invoice,
                number: Some("F-2026-000001".to_owned()),
                is_draft: false,
                issue_date: "2026-11-20".to_owned(),
                operation_date: None,
                due_date: None,
                currency: "EUR".to_owned(),
                currency_decimals: 2,
                prices_include_tax: false,
                lines: (1..=lines).map(line).collect(),
                totals: Totals {
                    net: net.to_string(),
                    tax: tax.to_string(),
                    gross: gross.to_string(),
                    retained: None,
                    payable: gross.to_string(),
                },
                tax_rows: vec![TaxRow {
                    label: "IVA 10 %".to_owned(),
                    base: net.to_string(),
                    amount: tax.to_string(),
                }],
                retention_rows: Vec::new(),
                references: Vec::new(),
                notes: Vec::new(),
                ext: Vec::new(),
            };
            let qr = QrCode {
                content: crate::sample::ADDRESS.to_owned(),
                caption: Some("QR tributario:".to_owned()),
                side_mm_min: 30,
            };
            Request {
                document,
                supplier: party("Provide One S.L.", "B98602642"),
                recipient: Some(party("Provide Two S.L.", "B12345674")),
                stamp: Some(Stamp {
                    qr: Some(qr),
                    legend: vec!["VERI*FACTU".to_owned()],
                    hash: None,
                    ext: Vec::new(),
                }),
                locale: "es".to_owned(),
                logo: None,
                accent_color: None,
                attachments: Vec::new(),
                template: None,
                ext: Vec::new(),
            }
        }
    };
}

/// Where anybody verifies the document.
pub(crate) const ADDRESS: &str = "https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?nif=B98602642&numserie=F-2026-000001&fecha=20-11-2026&importe=220.00";

request!(of_the_host, gateway_plugin_host::renderer::request);
request!(of_the_renderer, render_pdf::bindings);
