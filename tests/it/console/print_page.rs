//! The page to print: a document as its recipient reads it.

use super::workflows::DOT;
use super::{FINANCE, OPERATOR, browser};
use gateway_tests::{World, on_both};
use serde_json::json;

#[tokio::test]
async fn it_speaks_every_language_of_the_renderer() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let finance = browser(&world, FINANCE).await;
        let document = world.issue(&world.document()).await;
        let issued = world.until(&document, "issued").await;
        let day: Vec<_> = issued["issue_date"].as_str().unwrap().split('-').collect();
        let [year, month, day] = day[..] else { panic!("{issued}") };
        for (locale, date, words) in [
            (
                "it",
                format!("{day}/{month}/{year}"),
                ["Fattura", "Emessa da", "Imponibile", "Totale da pagare"],
            ),
            ("de", format!("{day}.{month}.{year}"), ["Rechnung", "Ausstellungsdatum", "Menge", "Zahlbetrag"]),
            ("pl", format!("{day}.{month}.{year}"), ["Faktura", "Sprzedawca", "Ilość", "Do zapłaty"]),
            ("fr", format!("{day}/{month}/{year}"), ["Facture", "Vendeur", "Quantité", "Net à payer"]),
            ("el", format!("{day}/{month}/{year}"), ["Τιμολόγιο", "Εκδότης", "Ποσότητα", "Πληρωτέο ποσό"]),
        ] {
            let page = finance.get(&format!("/console/invoices/{document}/view?locale={locale}")).await;
            assert_eq!(page.status, 200, "{}", page.text);
            let language = format!("lang=\"{locale}\"");
            let another = format!("/console/invoices/{document}/view?locale=en\" hreflang=\"en\">en</a>");
            for part in [language.as_str(), &another, date.as_str(), "110,00 EUR"].into_iter().chain(words) {
                assert!(page.text.contains(part), "{part}: {}", page.text);
            }
            assert!(!page.text.contains("Issue date") && !page.text.contains("110.00"), "{}", page.text);
        }
    })
    .await;
}

#[tokio::test]
async fn a_credit_note_names_what_it_corrects_and_the_code_stands_at_the_head() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let finance = browser(&world, FINANCE).await;
        let document = world.issue(&world.document()).await;
        let issued = world.until(&document, "issued").await;
        let page = format!("/console/invoices/{document}");
        let html = finance.get(&format!("{page}/view")).await.text;
        assert!(!html.contains("Documentos relacionados"), "{html}");
        assert!(html.find("qr.svg").unwrap() < html.find("<h1>").unwrap(), "{html}");

        let credited = finance.submit(&format!("{page}/credit"), &[("line", "0")]).await;
        assert_eq!(credited.status, 303, "{}", credited.text);
        let html = finance.get(&format!("{}/view", credited.header("location"))).await.text;
        let number = issued["display_invoice_number"].as_str().unwrap();
        let day: Vec<_> = issued["issue_date"].as_str().unwrap().split('-').rev().collect();
        let original = format!("<dt>Documentos relacionados</dt><dd>{number} ({})</dd>", day.join("/"));
        assert!(html.contains(&original), "{original}: {html}");
    })
    .await;
}

#[tokio::test]
async fn it_shows_what_is_withheld_and_the_logo_of_the_workspace() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let document = world.document().with("retentions", json!([{"category": "IRPF", "rate": "15.0"}]));
        let document = world.draft(&document.with("prices_include_tax", json!(false))).await;
        let operator = browser(&world, OPERATOR).await;
        let page = format!("/console/invoices/{document}/view?locale=en");
        let plain = operator.get(&page).await.text;
        for part in ["IRPF 15%", "<td class=\"amount\">16.50</td>", "<dt>Retained</dt><dd>16.50</dd>"] {
            assert!(plain.contains(part), "{part}: {plain}");
        }
        let workspace = format!("/console/workspaces/{}", world.workspace);
        let logo = format!("src=\"{workspace}/logo.png\"");
        assert!(!plain.contains(&logo), "{plain}");
        let token = operator.form_token();
        let set = operator
            .upload(&format!("{workspace}/logo/upload"), &[("form_token", &token)], ("logo", DOT))
            .await;
        assert_eq!(set.status, 303, "{}", set.text);
        let html = operator.get(&page).await.text;
        assert!(html.contains(&logo), "{html}");
    })
    .await;
}
