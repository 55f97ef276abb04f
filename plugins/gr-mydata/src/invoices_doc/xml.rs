//! A record as XML.

use einvoice_xml::Writer;

use super::{
    Address, BRANCH, DEDUCTIONS, FEES, Income, InvoicesDoc, Line, OTHER_TAXES, Party, STAMP_DUTY, WITHHELD,
};
use einvoice_gobl::decimal::Decimal;

/// Elements without a prefix are of the first; the second is spelled so.
const NAMESPACES: [(&str, &str); 2] = [
    ("xmlns", "http://www.aade.gr/myDATA/invoice/v1.0"),
    ("xmlns:icls", "https://www.aade.gr/myDATA/incomeClassificaton/v1.0"),
];

pub(super) fn written(record: &InvoicesDoc) -> String {
    einvoice_xml::document("InvoicesDoc", &NAMESPACES, "", |xml| {
        xml.element("invoice", |xml| {
            party(xml, "issuer", &record.issuer);
            if let Some(counterpart) = &record.counterpart {
                party(xml, "counterpart", counterpart);
            }
            xml.element("invoiceHeader", |xml| header(xml, record));
            if let Some(means) = &record.payment_means {
                xml.element("paymentMethods", |xml| {
                    xml.element("paymentMethodDetails", |xml| {
                        xml.text("type", means);
                        xml.text("amount", &record.gross.amount());
                    });
                });
            }
            record.lines.iter().for_each(|line| xml.element("invoiceDetails", |xml| details(xml, line)));
            xml.unless_empty("taxesTotals", |xml| {
                for tax in &record.taxes {
                    xml.element("taxes", |xml| {
                        xml.text("taxType", &tax.kind);
                        xml.optional("taxCategory", tax.category.as_deref());
                        xml.text("taxAmount", &tax.amount.amount());
                    });
                }
            });
            xml.element("invoiceSummary", |xml| summary(xml, record));
        });
    })
}

fn party(xml: &mut Writer, name: &str, party: &Party) {
    xml.element(name, |xml| {
        xml.text("vatNumber", &party.vat_number);
        xml.text("country", &party.country);
        xml.text("branch", BRANCH);
        xml.optional("name", party.name.as_deref());
        if let Some(Address { street, postcode, city }) = &party.address {
            xml.element("address", |xml| {
                xml.optional("street", street.as_deref());
                xml.text("postalCode", postcode);
                xml.text("city", city);
            });
        }
    });
}

fn header(xml: &mut Writer, record: &InvoicesDoc) {
    xml.text("series", &record.series);
    xml.text("aa", &record.aa);
    xml.text("issueDate", &record.date);
    xml.text("invoiceType", &record.doc_type);
    xml.text("currency", &record.currency);
    for mark in &record.correlated {
        xml.text("correlatedInvoices", mark);
    }
}

fn details(xml: &mut Writer, line: &Line) {
    xml.text("lineNumber", &line.index.to_string());
    xml.text("netValue", &line.net.amount());
    xml.text("vatCategory", &line.vat_category);
    xml.text("vatAmount", &line.vat.amount());
    xml.optional("vatExemptionCategory", line.exemption.as_deref());
    if let Some(income) = &line.income {
        classification(xml, income, line.net);
    }
}

fn classification(xml: &mut Writer, income: &Income, amount: Decimal) {
    xml.element("incomeClassification", |xml| {
        xml.text("icls:classificationType", &income.kind);
        xml.text("icls:classificationCategory", &income.category);
        xml.text("icls:amount", &amount.amount());
    });
}

fn summary(xml: &mut Writer, record: &InvoicesDoc) {
    let totals = [
        ("totalNetValue", record.net),
        ("totalVatAmount", record.vat),
        ("totalWithheldAmount", record.tax(WITHHELD)),
        ("totalFeesAmount", record.tax(FEES)),
        ("totalStampDutyAmount", record.tax(STAMP_DUTY)),
        ("totalOtherTaxesAmount", record.tax(OTHER_TAXES)),
        ("totalDeductionsAmount", record.tax(DEDUCTIONS)),
        ("totalGrossValue", record.gross),
    ];
    for (name, amount) in totals {
        xml.text(name, &amount.amount());
    }
    for (income, amount) in record.income() {
        classification(xml, income, amount);
    }
}
