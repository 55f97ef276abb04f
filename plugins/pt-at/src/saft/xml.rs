//! `AuditFile`, the elements in the order of `SAFTPT1.04_01.xsd`.

use einvoice_xml::{Writer, document};

use super::{Address, AuditFile, Customer, Line, Product, Tax};
use crate::printing::exemption_name;
use einvoice_gobl::decimal::Decimal;

const NAMESPACE: &str = "urn:OECD:StandardAuditFile-Tax:PT_1.04_01";
/// Who made the document: the source of all that is made here.
const SOURCE: &str = "pt-at";
/// The program that the stand-in is: product and company (`ProductID`).
const PRODUCT_ID: &str = "pt-at/stand-in";
/// The unit where none is known.
const UNIT: &str = "UN";
/// The version of the key that signs.
const KEY_VERSION: &str = "1";

pub(super) fn xml(file: &AuditFile) -> String {
    document("AuditFile", &[("xmlns", NAMESPACE)], "", |xml| {
        xml.element("Header", |xml| header(xml, file));
        xml.element("MasterFiles", |xml| {
            xml.element("Customer", |xml| customer(xml, &file.customer));
            for (at, one) in file.products.iter().enumerate() {
                xml.element("Product", |xml| product(xml, at, one));
            }
            xml.unless_empty("TaxTable", |xml| {
                file.tax_table
                    .iter()
                    .for_each(|tax| xml.element("TaxTableEntry", |xml| table_entry(xml, tax)));
            });
        });
        xml.element("SourceDocuments", |xml| {
            xml.element("SalesInvoices", |xml| {
                let (sum, nothing) = (file.sum_of_lines(), Decimal::ZERO);
                let (debit, credit) = if file.is_credit_note() { (sum, nothing) } else { (nothing, sum) };
                xml.text("NumberOfEntries", "1");
                xml.text("TotalDebit", &debit.amount());
                xml.text("TotalCredit", &credit.amount());
                xml.element("Invoice", |xml| invoice(xml, file));
            });
        });
    })
}

fn header(xml: &mut Writer, file: &AuditFile) {
    xml.text("AuditFileVersion", "1.04_01");
    xml.text("CompanyID", &file.tax_number);
    xml.text("TaxRegistrationNumber", &file.tax_number);
    xml.text("TaxAccountingBasis", "F");
    xml.text("CompanyName", &file.company_name);
    xml.element("CompanyAddress", |xml| address(xml, &file.company_address));
    xml.text("FiscalYear", file.date.get(..4).unwrap_or_default());
    xml.text("StartDate", &file.date);
    xml.text("EndDate", &file.date);
    xml.text("CurrencyCode", &file.currency);
    xml.text("DateCreated", file.entry.entered.get(..10).unwrap_or_default());
    xml.text("TaxEntity", "Global");
    xml.text("ProductCompanyTaxID", &file.tax_number);
    xml.text("SoftwareCertificateNumber", &file.certificate_number);
    xml.text("ProductID", PRODUCT_ID);
    xml.text("ProductVersion", env!("CARGO_PKG_VERSION"));
    xml.optional("Email", file.email.as_deref());
}

fn address(xml: &mut Writer, address: &Address) {
    xml.text("AddressDetail", &address.detail);
    xml.text("City", &address.city);
    xml.text("PostalCode", &address.postcode);
    xml.optional("Region", address.region.as_deref());
    xml.text("Country", &address.country);
}

fn customer(xml: &mut Writer, customer: &Customer) {
    xml.text("CustomerID", &customer.tax_number);
    xml.text("AccountID", "Desconhecido");
    xml.text("CustomerTaxID", &customer.tax_number);
    xml.text("CompanyName", &customer.name);
    xml.element("BillingAddress", |xml| address(xml, &customer.address));
    xml.optional("Email", customer.email.as_deref());
    xml.text("SelfBillingIndicator", "0");
}

fn product_code(at: usize) -> String {
    format!("P{}", at + 1)
}

fn product(xml: &mut Writer, at: usize, product: &Product) {
    xml.text("ProductType", &product.kind);
    xml.text("ProductCode", &product_code(at));
    xml.text("ProductDescription", &product.description);
    xml.text("ProductNumberCode", &product_code(at));
}

fn table_entry(xml: &mut Writer, tax: &Tax) {
    xml.text("TaxType", "IVA");
    xml.text("TaxCountryRegion", &tax.region);
    xml.text("TaxCode", &tax.code);
    xml.text("Description", description(tax));
    xml.text("TaxPercentage", &tax.percent.precise());
}

/// The rate in the words of the law.
fn description(tax: &Tax) -> &'static str {
    match tax.code.as_str() {
        "NOR" => "Taxa normal",
        "INT" => "Taxa intermédia",
        "RED" => "Taxa reduzida",
        "ISE" => "Isento",
        _ => "Outra taxa",
    }
}

fn invoice(xml: &mut Writer, file: &AuditFile) {
    xml.text("InvoiceNo", &file.number);
    xml.text("ATCUD", &file.atcud);
    xml.element("DocumentStatus", |xml| {
        xml.text("InvoiceStatus", "N");
        xml.text("InvoiceStatusDate", &file.entry.entered);
        xml.text("SourceID", SOURCE);
        xml.text("SourceBilling", "P");
    });
    xml.text("Hash", &file.entry.signature);
    xml.text("HashControl", KEY_VERSION);
    xml.text("InvoiceDate", &file.date);
    xml.text("InvoiceType", &file.doc_type);
    xml.element("SpecialRegimes", |xml| {
        xml.text("SelfBillingIndicator", "0");
        xml.text("CashVATSchemeIndicator", if file.is_cash_vat { "1" } else { "0" });
        xml.text("ThirdPartiesBillingIndicator", "0");
    });
    xml.text("SourceID", SOURCE);
    xml.text("SystemEntryDate", &file.entry.entered);
    xml.text("CustomerID", &file.customer.tax_number);
    file.lines.iter().for_each(|one| xml.element("Line", |xml| line(xml, one, file.is_credit_note())));
    xml.element("DocumentTotals", |xml| totals(xml, file));
    for (kind, amount) in &file.withheld {
        xml.element("WithholdingTax", |xml| {
            xml.text("WithholdingTaxType", kind);
            xml.text("WithholdingTaxAmount", &amount.amount());
        });
    }
}

fn line(xml: &mut Writer, line: &Line, is_debit: bool) {
    xml.text("LineNumber", &line.index.to_string());
    xml.text("ProductCode", &product_code(line.product));
    xml.text("ProductDescription", &line.description);
    xml.text("Quantity", &line.quantity.precise());
    xml.text("UnitOfMeasure", UNIT);
    xml.text("UnitPrice", &line.price.precise());
    xml.text("TaxPointDate", &line.tax_point);
    for (number, reason) in &line.references {
        xml.element("References", |xml| {
            xml.text("Reference", number);
            xml.text("Reason", reason);
        });
    }
    xml.text("Description", &line.description);
    xml.text(if is_debit { "DebitAmount" } else { "CreditAmount" }, &line.amount.amount());
    xml.element("Tax", |xml| {
        xml.text("TaxType", "IVA");
        xml.text("TaxCountryRegion", &line.tax.region);
        xml.text("TaxCode", &line.tax.code);
        xml.text("TaxPercentage", &line.tax.percent.precise());
    });
    if let Some(code) = &line.tax.exemption {
        xml.text("TaxExemptionReason", exemption_name(code).unwrap_or(code));
        xml.text("TaxExemptionCode", code);
    }
}

fn totals(xml: &mut Writer, file: &AuditFile) {
    xml.text("TaxPayable", &file.tax.amount());
    xml.text("NetTotal", &file.net.amount());
    xml.text("GrossTotal", &file.gross.amount());
    for settlement in &file.settlements {
        xml.element("Settlement", |xml| {
            if let Some((amount, date)) = &settlement.due {
                xml.text("SettlementAmount", &amount.amount());
                xml.text("SettlementDate", date);
            }
            xml.optional("PaymentTerms", settlement.terms.as_deref());
        });
    }
    for payment in &file.payments {
        xml.element("Payment", |xml| {
            xml.optional("PaymentMechanism", payment.means.as_deref());
            xml.text("PaymentAmount", &payment.amount.amount());
            xml.text("PaymentDate", &payment.date);
        });
    }
}
