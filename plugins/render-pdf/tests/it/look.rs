//! Files to look at: `RENDER_SAMPLES=FOLDER cargo test -p render-pdf -- --ignored`. Beside each stands what its QR code says.
//! `cargo xtask test --suites pdf` compares them with golden pages.

use crate::samples;
use render_pdf::bindings::Request;
use render_pdf::render;
use std::path::PathBuf;
use std::time::Instant;

#[test]
#[ignore = "writes files to look at"]
fn samples_are_written_to_the_folder_that_is_named() {
    let folder = PathBuf::from(std::env::var_os("RENDER_SAMPLES").unwrap());
    std::fs::create_dir_all(&folder).unwrap();
    let mut unbroken = samples::invoice();
    unbroken.document.lines[0].description = "Palabralarguísima".repeat(60);
    unbroken.document.lines[1].description = "Una descripción muy larga. ".repeat(150);
    let mut figures = samples::invoice();
    let figure = "-1234567890123456.78";
    figure.clone_into(&mut figures.document.lines[0].total);
    figure.clone_into(&mut figures.document.totals.payable);
    figure.clone_into(&mut figures.document.tax_rows[0].base);
    let with_logo = Request { logo: Some(samples::logo(240, 80)), ..samples::english() };
    for (name, request) in [
        ("invoice", samples::invoice()),
        ("gateway", samples::of_gateway()),
        ("english", with_logo),
        ("credit-note", samples::credit_note()),
        ("draft", samples::draft()),
        ("lines-200", samples::long(200)),
        ("lines-10000", samples::long(10_000)),
        ("yen", samples::in_currency("JPY", 0)),
        ("dinar", samples::in_currency("KWD", 3)),
        ("attachment", samples::with_attachment()),
        ("unbroken", unbroken),
        ("figures", figures),
    ] {
        let began = Instant::now();
        let pdf = render(&request).unwrap();
        println!("{name}: {} bytes in {:.1?}", pdf.len(), began.elapsed());
        std::fs::write(folder.join(name).with_extension("pdf"), pdf).unwrap();
        if let Some(code) = request.stamp.and_then(|stamp| stamp.qr) {
            std::fs::write(folder.join(name).with_extension("qr"), code.content).unwrap();
        }
    }
}
