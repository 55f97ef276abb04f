//! Requests to render.

use render_pdf::bindings::{
    Attachment, Document, DocumentKind, Line, Party, QrCode, Relationship, Request, Stamp, TaxIdentifier,
    TaxRow, Totals,
};

/// What the QR code of the samples says.
pub(crate) const QR_CONTENT: &str = "https://www2.agenciatributaria.gob.es/wlpl/TIKE-CONT/ValidarQR?nif=B98602642&numserie=F-2026%2F0017&fecha=27-07-2026&importe=1094.24";

/// A line at 10 %.
pub(crate) fn line(description: &str, quantity: &str, unit_price: &str, total: &str) -> Line {
    Line {
        description: description.to_owned(),
        quantity: quantity.to_owned(),
        unit_price: unit_price.to_owned(),
        discount: None,
        total: total.to_owned(),
        taxes: vec!["IVA 10 %".to_owned()],
        ext: Vec::new(),
    }
}

pub(crate) fn tax_row(label: &str, base: &str, amount: &str) -> TaxRow {
    TaxRow { label: label.to_owned(), base: base.to_owned(), amount: amount.to_owned() }
}

fn party(name: &str, tax_id: (&str, &str), address: &[&str], email: &str) -> Party {
    Party {
        name: name.to_owned(),
        tax_id: Some(TaxIdentifier { label: tax_id.0.to_owned(), value: tax_id.1.to_owned() }),
        address: address.iter().map(|line| (*line).to_owned()).collect(),
        email: Some(email.to_owned()),
        ext: Vec::new(),
    }
}

fn document() -> Document {
    let mut discounted = line("Limpieza final y cambio de ropa de cama", "1", "45", "40.00");
    discounted.discount = Some("5.00".to_owned());
    discounted.taxes = vec!["IVA 21 %".to_owned()];
    Document {
        kind: DocumentKind::Invoice,
        number: Some("F-2026/0017".to_owned()),
        is_draft: false,
        issue_date: "2026-07-27".to_owned(),
        operation_date: Some("2026-07-20".to_owned()),
        due_date: Some("2026-08-26".to_owned()),
        currency: "EUR".to_owned(),
        currency_decimals: 2,
        prices_include_tax: false,
        lines: vec![
            line(
                "Alojamiento en el estudio «La Ñora», del 13 al 20 de julio de 2026, con desayuno",
                "7",
                "129.90",
                "909.30",
            ),
            discounted,
            line("Plaza de aparcamiento", "7", "3.50", "24.50"),
        ],
        totals: Totals {
            net: "973.80".to_owned(),
            tax: "101.78".to_owned(),
            gross: "1075.58".to_owned(),
            retained: None,
            payable: "1075.58".to_owned(),
        },
        tax_rows: vec![tax_row("IVA 10 %", "933.80", "93.38"), tax_row("IVA 21 %", "40.00", "8.40")],
        retention_rows: Vec::new(),
        references: Vec::new(),
        notes: vec![
            "Transferencia a ES91 2100 0418 4502 0005 1332 indicando el número de factura.".to_owned(),
        ],
        ext: Vec::new(),
    }
}

/// Three lines, two rates, in Spanish, with everything that Spain wants.
pub(crate) fn invoice() -> Request {
    Request {
        document: document(),
        supplier: party(
            "Apartamentos Levante S.L.",
            ("NIF", "B98602642"),
            &["Carrer de la Pau, 12, 3.º", "46002 València", "España"],
            "facturas@levante.example",
        ),
        recipient: Some(party(
            "Żółta Łódź Podróże Sp. z o.o.",
            ("NIP", "PL5260250274"),
            &["ul. Świętokrzyska 14", "00-050 Warszawa", "Polonia"],
            "ksiegowosc@lodz.example",
        )),
        stamp: Some(Stamp {
            qr: Some(QrCode {
                content: QR_CONTENT.to_owned(),
                caption: Some("QR tributario:".to_owned()),
                side_mm_min: 32,
            }),
            legend: vec![
                "Factura verificable en la sede electrónica de la AEAT".to_owned(),
                "VERI*FACTU".to_owned(),
            ],
            hash: Some("3C464DAF61ACB827C65FDA19F352A4E3BDC2C640E9E9FC4CC058073F38F12F60".to_owned()),
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

/// The same document in English, without what Spain wants.
pub(crate) fn english() -> Request {
    let mut request = Request { locale: "en".to_owned(), stamp: None, ..invoice() };
    for line in &mut request.document.lines {
        line.taxes = line.taxes.iter().map(|tax| tax.replace("IVA", "VAT").replace(" %", "%")).collect();
    }
    request
}

/// As many lines as asked for; every seventh description wraps, every ninth gives something back.
pub(crate) fn long(count: usize) -> Request {
    let mut request = invoice();
    request.document.lines = (1..=count)
        .map(|number| {
            let description = format!("Concepto número {number}: alojamiento y servicios");
            let wrapped = format!(
                "{description}, con una descripción que no cabe en una línea y sigue en otra, y en otra más"
            );
            let is_back = number % 9 == 0;
            line(
                if number % 7 == 0 { &wrapped } else { &description },
                if is_back { "-1" } else { "2" },
                "12.50",
                if is_back { "-12.50" } else { "25.00" },
            )
        })
        .collect();
    request
}

/// Corrects an invoice, with a discount, a retention and lines that give something back.
pub(crate) fn credit_note() -> Request {
    let mut request = invoice();
    request.document.kind = DocumentKind::CreditNote;
    request.document.number = Some("R-2026/0003".to_owned());
    request.document.references = vec!["F-2026/0017 (27/07/2026)".to_owned()];
    request.document.lines = vec![line("Anulación de dos noches", "-2", "129.90", "-259.80")];
    request.document.tax_rows = vec![tax_row("IVA 10 %", "-259.80", "-25.98")];
    request.document.retention_rows = vec![tax_row("IRPF 19 %", "-259.80", "-49.36")];
    request.document.totals = Totals {
        net: "-259.80".to_owned(),
        tax: "-25.98".to_owned(),
        gross: "-285.78".to_owned(),
        retained: Some("-49.36".to_owned()),
        payable: "-236.42".to_owned(),
    };
    request
}

pub(crate) fn draft() -> Request {
    let mut request = invoice();
    request.document.is_draft = true;
    request.document.number = None;
    request.stamp = None;
    request.template = Some(
        r##"{"accent_color": "#0F766E", "footer": "Apartamentos Levante S.L. · Registro Mercantil de Valencia, tomo 9876, folio 54, hoja V-123456\nLicencia turística VT-45678-V"}"##
            .to_owned(),
    );
    request
}

/// Goods to a retailer, whose equivalence surcharges have rows of their own.
pub(crate) fn surcharges() -> Request {
    let mut request = invoice();
    let of_retailer = |description: &str, total: &str, taxes: &str| Line {
        taxes: vec![taxes.to_owned()],
        ..line(description, "1", total, total)
    };
    request.document.lines = vec![
        of_retailer("Tazas con el escudo de la casa", "100.00", "IVA 21 % + 5,2 %"),
        of_retailer("Guías de la comarca", "200.00", "IVA 4 % + 0,5 %"),
        of_retailer("Envío", "10.00", "IVA 21 %"),
    ];
    request.document.tax_rows = vec![
        tax_row("IVA 21 %", "100.00", "21.00"),
        tax_row("Recargo de equivalencia 5,2 %", "100.00", "5.20"),
        tax_row("IVA 4 %", "200.00", "8.00"),
        tax_row("Recargo de equivalencia 0,5 %", "200.00", "1.00"),
        tax_row("IVA 21 %", "10.00", "2.10"),
    ];
    request.document.totals = Totals {
        net: "310.00".to_owned(),
        tax: "37.30".to_owned(),
        gross: "347.30".to_owned(),
        retained: None,
        payable: "347.30".to_owned(),
    };
    request
}

/// In another language: a supply whose recipient accounts for the tax, with names as long as the plugins' are.
pub(crate) fn in_language(locale: &str, exemption: &str, short_name: &str) -> Request {
    let mut request = Request { locale: locale.to_owned(), stamp: None, ..invoice() };
    for line in &mut request.document.lines {
        line.taxes = vec![short_name.to_owned()];
    }
    let totals = &mut request.document.totals;
    request.document.tax_rows = vec![tax_row(exemption, &totals.net, "0.00")];
    *totals = Totals {
        tax: "0.00".to_owned(),
        gross: totals.net.clone(),
        payable: totals.net.clone(),
        ..totals.clone()
    };
    request
}

/// A currency with this many decimals.
pub(crate) fn in_currency(code: &str, decimals: u8) -> Request {
    let mut request = english();
    code.clone_into(&mut request.document.currency);
    request.document.currency_decimals = decimals;
    request
}

/// The structured invoice inside.
pub(crate) fn with_attachment() -> Request {
    let mut request = english();
    request.attachments = vec![Attachment {
        name: "factur-x.xml".to_owned(),
        media_type: "text/xml".to_owned(),
        description: Some("The invoice as data".to_owned()),
        relationship: Relationship::Alternative,
        content: b"<?xml version=\"1.0\"?><Invoice/>".to_vec(),
    }];
    request
}

/// What the gateway makes of a document (`host/rendering`), which compares the file with it.
pub(crate) fn of_gateway() -> Request {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/clients/pdf/gateway.json");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// Every sample by its name, with those that ask much of the layout.
pub(crate) fn all() -> Vec<(&'static str, Request)> {
    let mut unbroken = invoice();
    unbroken.document.lines[0].description = "Palabralarguísima".repeat(60);
    unbroken.document.lines[1].description = "Una descripción muy larga. ".repeat(150);
    let mut figures = invoice();
    let figure = "-1234567890123456.78";
    figure.clone_into(&mut figures.document.lines[0].total);
    figure.clone_into(&mut figures.document.totals.payable);
    figure.clone_into(&mut figures.document.tax_rows[0].base);
    vec![
        ("invoice", invoice()),
        ("gateway", of_gateway()),
        ("english", Request { logo: Some(logo(240, 80)), ..english() }),
        (
            "italian",
            in_language(
                "it",
                "IVA – Inversione contabile: prestazioni comparto edile e settori connessi",
                "IVA – Inversione contabile",
            ),
        ),
        (
            "german",
            in_language("de", "USt – Steuerschuldnerschaft des Leistungsempfängers", "USt – Reverse Charge"),
        ),
        ("polish", in_language("pl", "VAT – Odwrotne obciążenie", "VAT – odwrotne obciążenie")),
        ("french", in_language("fr", "TVA – Autoliquidation", "TVA – autoliquidation")),
        ("portuguese", in_language("pt", "IVA – autoliquidação", "IVA – M40")),
        ("greek", in_language("el", "Χωρίς ΦΠΑ – Αντίστροφη επιβάρυνση", "Αντίστροφη επιβάρυνση")),
        ("surcharges", surcharges()),
        ("credit-note", credit_note()),
        ("draft", draft()),
        ("lines-200", long(200)),
        ("lines-10000", long(10_000)),
        ("yen", in_currency("JPY", 0)),
        ("dinar", in_currency("KWD", 3)),
        ("attachment", with_attachment()),
        ("unbroken", unbroken),
        ("figures", figures),
    ]
}

/// A PNG of two colours.
pub(crate) fn logo(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().unwrap();
    let pixels: Vec<u8> = (0..height)
        .flat_map(|y| {
            (0..width).flat_map(move |x| if (x + y) % 40 < 20 { [15, 118, 110] } else { [250, 204, 21] })
        })
        .collect();
    writer.write_image_data(&pixels).unwrap();
    writer.finish().unwrap();
    bytes
}
