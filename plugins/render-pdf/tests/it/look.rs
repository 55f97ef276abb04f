//! Every sample is rendered. `RENDER_SAMPLES=FOLDER cargo test -p render-pdf look` also leaves the files in a folder, to look at;
//! beside each stands what its QR code says. `cargo xtask test --suites pdf` compares them with golden pages.

use crate::samples;
use render_pdf::render;
use std::path::PathBuf;

#[test]
fn every_sample_is_a_file() {
    let folder = std::env::var_os("RENDER_SAMPLES").map(PathBuf::from);
    for (name, request) in samples::all() {
        // Ten thousand lines take most of the time, and the other tests have long documents too.
        if name == "lines-10000" && folder.is_none() {
            continue;
        }
        let pdf = render(&request).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        assert!(pdf.starts_with(b"%PDF-1.7"), "{name}");
        let Some(folder) = &folder else { continue };
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join(name).with_extension("pdf"), pdf).unwrap();
        if let Some(code) = request.stamp.and_then(|stamp| stamp.qr) {
            std::fs::write(folder.join(name).with_extension("qr"), code.content).unwrap();
        }
    }
}

#[test]
fn the_rows_of_the_breakdown_of_every_sample_add_up_to_its_tax() {
    let cents = |text: &str| text.replace('.', "").parse::<i64>().unwrap();
    for (name, request) in samples::all() {
        let document = request.document;
        let rows: i64 = document.tax_rows.iter().map(|row| cents(&row.amount)).sum();
        assert_eq!(rows, cents(&document.totals.tax), "{name}");
    }
}
