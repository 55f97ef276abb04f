//! UBL 2.1 (EN 16931-3-2). The order of the elements is that of its schemas.

use einvoice_plugin::Amount;
use einvoice_xml::{Writer, document};

use crate::model::{Address, Contact, Invoice, Line, Party, Payment, Period, TaxRow};

const COMMON: [(&str, &str); 2] = [
    ("xmlns:cac", "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"),
    ("xmlns:cbc", "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"),
];

/// What the two roots call the same things.
struct Names {
    root: &'static str,
    namespace: &'static str,
    type_code: &'static str,
    line: &'static str,
    quantity: &'static str,
}

const INVOICE: Names = Names {
    root: "Invoice",
    namespace: "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2",
    type_code: "cbc:InvoiceTypeCode",
    line: "cac:InvoiceLine",
    quantity: "cbc:InvoicedQuantity",
};

const CREDIT_NOTE: Names = Names {
    root: "CreditNote",
    namespace: "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2",
    type_code: "cbc:CreditNoteTypeCode",
    line: "cac:CreditNoteLine",
    quantity: "cbc:CreditedQuantity",
};

/// The invoice under the root of its type.
pub(crate) fn write(invoice: &Invoice) -> String {
    let names = if invoice.is_credit_note() { CREDIT_NOTE } else { INVOICE };
    let [aggregates, basics] = COMMON;
    let namespaces = [("xmlns", names.namespace), aggregates, basics];
    document(names.root, &namespaces, "", |xml| {
        header(xml, invoice, &names);
        xml.element("cac:AccountingSupplierParty", |xml| party(xml, &invoice.seller));
        xml.element("cac:AccountingCustomerParty", |xml| party(xml, &invoice.buyer));
        xml.unless_empty("cac:Delivery", |xml| {
            xml.optional("cbc:ActualDeliveryDate", invoice.delivery_date.as_deref());
            if let Some(to) = &invoice.deliver_to {
                xml.element("cac:DeliveryLocation", |xml| address(xml, "cac:Address", to));
            }
        });
        if let Some(payment) = &invoice.payment {
            payment_means(xml, payment, invoice);
        }
        xml.unless_empty("cac:PaymentTerms", |xml| {
            xml.optional("cbc:Note", invoice.payment_terms.as_deref());
        });
        taxes(xml, invoice);
        totals(xml, invoice);
        for line in &invoice.lines {
            xml.element(names.line, |xml| write_line(xml, line, &names, &invoice.currency));
        }
    })
}

fn header(xml: &mut Writer, invoice: &Invoice, names: &Names) {
    xml.text("cbc:CustomizationID", invoice.profile.customization_id);
    xml.text("cbc:ProfileID", invoice.profile.process_id);
    filled(xml, "cbc:ID", &invoice.number);
    filled(xml, "cbc:IssueDate", &invoice.issue_date);
    if !invoice.is_credit_note() {
        xml.optional("cbc:DueDate", invoice.due_date.as_deref());
    }
    filled(xml, names.type_code, &invoice.type_code);
    for note in &invoice.notes {
        // UBL has no place for the subject but the text.
        let subject = if note.subject.is_empty() { String::new() } else { format!("#{}#", note.subject) };
        xml.text("cbc:Note", &format!("{subject}{}", note.text));
    }
    filled(xml, "cbc:DocumentCurrencyCode", &invoice.currency);
    xml.optional("cbc:BuyerReference", invoice.buyer_reference.as_deref());
    period(xml, invoice.period.as_ref());
    xml.unless_empty("cac:OrderReference", |xml| {
        xml.optional("cbc:ID", invoice.order_reference.as_deref());
    });
    for reference in &invoice.preceding {
        xml.unless_empty("cac:BillingReference", |xml| {
            xml.unless_empty("cac:InvoiceDocumentReference", |xml| {
                filled(xml, "cbc:ID", &reference.number);
                filled(xml, "cbc:IssueDate", &reference.issue_date);
            });
        });
    }
}

/// An element, if there is something to say.
fn filled(xml: &mut Writer, name: &str, text: &str) {
    xml.optional(name, Some(text).filter(|text| !text.is_empty()));
}

fn period(xml: &mut Writer, period: Option<&Period>) {
    if let Some(period) = period {
        xml.unless_empty("cac:InvoicePeriod", |xml| {
            filled(xml, "cbc:StartDate", &period.start);
            filled(xml, "cbc:EndDate", &period.end);
        });
    }
}

fn party(xml: &mut Writer, party: &Party) {
    xml.element("cac:Party", |xml| {
        if let Some(endpoint) = &party.endpoint {
            xml.text_with("cbc:EndpointID", &[("schemeID", &endpoint.scheme)], &endpoint.id);
        }
        xml.unless_empty("cac:PartyIdentification", |xml| {
            xml.optional("cbc:ID", party.identifier.as_deref());
        });
        for global in &party.global_ids {
            xml.element("cac:PartyIdentification", |xml| {
                xml.text_with("cbc:ID", &[("schemeID", &global.scheme)], &global.id);
            });
        }
        if let Some(postal) = &party.address {
            address(xml, "cac:PostalAddress", postal);
        }
        tax_scheme(xml, party.vat_id.as_deref(), "VAT");
        tax_scheme(xml, party.tax_number.as_deref(), party.tax_number_scheme.unwrap_or("FC"));
        xml.unless_empty("cac:PartyLegalEntity", |xml| {
            filled(xml, "cbc:RegistrationName", &party.name);
            if let Some(legal) = &party.legal_id {
                let scheme = [("schemeID", legal.scheme.as_str())];
                let scheme = if legal.scheme.is_empty() { &[] } else { &scheme[..] };
                xml.text_with("cbc:CompanyID", scheme, &legal.id);
            }
        });
        if let Some(contact) = &party.contact {
            write_contact(xml, contact);
        }
    });
}

fn address(xml: &mut Writer, name: &str, address: &Address) {
    xml.element(name, |xml| {
        filled(xml, "cbc:StreetName", &address.street);
        filled(xml, "cbc:CityName", &address.city);
        filled(xml, "cbc:PostalZone", &address.postcode);
        filled(xml, "cbc:CountrySubentity", &address.region);
        xml.unless_empty("cac:Country", |xml| filled(xml, "cbc:IdentificationCode", &address.country));
    });
}

fn tax_scheme(xml: &mut Writer, number: Option<&str>, scheme: &str) {
    if let Some(number) = number {
        xml.element("cac:PartyTaxScheme", |xml| {
            xml.text("cbc:CompanyID", number);
            xml.element("cac:TaxScheme", |xml| xml.text("cbc:ID", scheme));
        });
    }
}

fn write_contact(xml: &mut Writer, contact: &Contact) {
    xml.unless_empty("cac:Contact", |xml| {
        filled(xml, "cbc:Name", &contact.name);
        filled(xml, "cbc:Telephone", &contact.telephone);
        filled(xml, "cbc:ElectronicMail", &contact.email);
    });
}

/// Each account is a means of payment of its own.
fn payment_means(xml: &mut Writer, payment: &Payment, invoice: &Invoice) {
    let accounts = payment.accounts.iter().map(Some);
    for account in accounts.chain(payment.accounts.is_empty().then_some(None)) {
        xml.unless_empty("cac:PaymentMeans", |xml| {
            filled(xml, "cbc:PaymentMeansCode", &payment.means);
            if invoice.is_credit_note() {
                xml.optional("cbc:PaymentDueDate", invoice.due_date.as_deref());
            }
            let Some(account) = account else { return };
            xml.unless_empty("cac:PayeeFinancialAccount", |xml| {
                filled(xml, "cbc:ID", &account.iban);
                xml.optional("cbc:Name", account.name.as_deref());
                xml.unless_empty("cac:FinancialInstitutionBranch", |xml| {
                    xml.optional("cbc:ID", account.bic.as_deref());
                });
            });
        });
    }
}

fn money(xml: &mut Writer, name: &str, currency: &str, amount: Amount) {
    xml.text_with(name, &[("currencyID", currency)], &amount.to_string());
}

fn taxes(xml: &mut Writer, invoice: &Invoice) {
    let currency = &invoice.currency;
    xml.element("cac:TaxTotal", |xml| {
        money(xml, "cbc:TaxAmount", currency, invoice.totals.tax);
        for row in &invoice.tax_rows {
            xml.element("cac:TaxSubtotal", |xml| {
                money(xml, "cbc:TaxableAmount", currency, row.base);
                money(xml, "cbc:TaxAmount", currency, row.amount);
                xml.element("cac:TaxCategory", |xml| tax_category(xml, row));
            });
        }
    });
}

fn tax_category(xml: &mut Writer, row: &TaxRow) {
    filled(xml, "cbc:ID", &row.category);
    xml.optional("cbc:Percent", row.rate.map(|rate| rate.to_string()).as_deref());
    xml.optional("cbc:TaxExemptionReasonCode", row.reason_code);
    xml.optional("cbc:TaxExemptionReason", row.reason.as_deref());
    xml.element("cac:TaxScheme", |xml| xml.text("cbc:ID", "VAT"));
}

fn totals(xml: &mut Writer, invoice: &Invoice) {
    let (currency, totals) = (&invoice.currency, &invoice.totals);
    xml.element("cac:LegalMonetaryTotal", |xml| {
        let figures = [
            ("cbc:LineExtensionAmount", Some(totals.lines)),
            ("cbc:TaxExclusiveAmount", Some(totals.net)),
            ("cbc:TaxInclusiveAmount", Some(totals.gross)),
            ("cbc:PrepaidAmount", totals.paid),
            ("cbc:PayableRoundingAmount", totals.rounding),
            ("cbc:PayableAmount", Some(totals.payable)),
        ];
        for (name, figure) in figures {
            if let Some(figure) = figure {
                money(xml, name, currency, figure);
            }
        }
    });
}

fn write_line(xml: &mut Writer, line: &Line, names: &Names, currency: &str) {
    xml.text("cbc:ID", &line.id);
    xml.text_with(names.quantity, &[("unitCode", line.unit)], &line.quantity.to_string());
    money(xml, "cbc:LineExtensionAmount", currency, line.net);
    period(xml, line.period.as_ref());
    xml.element("cac:Item", |xml| {
        filled(xml, "cbc:Name", &line.name);
        xml.element("cac:ClassifiedTaxCategory", |xml| {
            filled(xml, "cbc:ID", &line.category);
            xml.optional("cbc:Percent", line.rate.map(|rate| rate.to_string()).as_deref());
            xml.element("cac:TaxScheme", |xml| xml.text("cbc:ID", "VAT"));
        });
    });
    xml.element("cac:Price", |xml| money(xml, "cbc:PriceAmount", currency, line.price));
}
