//! UN/CEFACT Cross Industry Invoice D16B (EN 16931-3-3). The order of the elements is that of its schemas.

use einvoice_xml::{Writer, document};

use crate::model::{Address, Contact, Invoice, Line, Party, Payment, Period, TaxRow};

const NAMESPACES: [(&str, &str); 4] = [
    ("xmlns:rsm", "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"),
    ("xmlns:ram", "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"),
    ("xmlns:qdt", "urn:un:unece:uncefact:data:standard:QualifiedDataType:100"),
    ("xmlns:udt", "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100"),
];

/// The invoice. Names without a prefix are `ram`.
pub(crate) fn write(invoice: &Invoice) -> String {
    document("rsm:CrossIndustryInvoice", &NAMESPACES, "ram", |xml| {
        xml.element("rsm:ExchangedDocumentContext", |xml| {
            let identifier = |xml: &mut Writer, name: &str, id: &str| {
                xml.element(name, |xml| xml.text("ID", id));
            };
            let (process, guideline) = (invoice.profile.process_id, invoice.profile.customization_id);
            identifier(xml, "BusinessProcessSpecifiedDocumentContextParameter", process);
            identifier(xml, "GuidelineSpecifiedDocumentContextParameter", guideline);
        });
        xml.element("rsm:ExchangedDocument", |xml| header(xml, invoice));
        xml.element("rsm:SupplyChainTradeTransaction", |xml| {
            for line in &invoice.lines {
                xml.element("IncludedSupplyChainTradeLineItem", |xml| write_line(xml, line));
            }
            xml.element("ApplicableHeaderTradeAgreement", |xml| {
                xml.optional("BuyerReference", invoice.buyer_reference.as_deref());
                xml.element("SellerTradeParty", |xml| party(xml, &invoice.seller));
                xml.element("BuyerTradeParty", |xml| party(xml, &invoice.buyer));
                xml.unless_empty("BuyerOrderReferencedDocument", |xml| {
                    xml.optional("IssuerAssignedID", invoice.order_reference.as_deref());
                });
            });
            xml.element("ApplicableHeaderTradeDelivery", |xml| delivery(xml, invoice));
            xml.element("ApplicableHeaderTradeSettlement", |xml| settlement(xml, invoice));
        });
    })
}

fn header(xml: &mut Writer, invoice: &Invoice) {
    filled(xml, "ID", &invoice.number);
    filled(xml, "TypeCode", &invoice.type_code);
    date(xml, "IssueDateTime", "udt:DateTimeString", &invoice.issue_date);
    for note in &invoice.notes {
        xml.element("IncludedNote", |xml| {
            xml.text("Content", &note.text);
            filled(xml, "SubjectCode", &note.subject);
        });
    }
}

/// An element, if there is something to say.
fn filled(xml: &mut Writer, name: &str, text: &str) {
    xml.optional(name, Some(text).filter(|text| !text.is_empty()));
}

/// A day as `YYYYMMDD`, which is format 102.
fn date(xml: &mut Writer, name: &str, inner: &str, day: &str) {
    if !day.is_empty() {
        xml.element(name, |xml| xml.text_with(inner, &[("format", "102")], &day.replace('-', "")));
    }
}

fn period(xml: &mut Writer, period: Option<&Period>) {
    if let Some(period) = period {
        xml.unless_empty("BillingSpecifiedPeriod", |xml| {
            date(xml, "StartDateTime", "udt:DateTimeString", &period.start);
            date(xml, "EndDateTime", "udt:DateTimeString", &period.end);
        });
    }
}

fn write_line(xml: &mut Writer, line: &Line) {
    xml.element("AssociatedDocumentLineDocument", |xml| xml.text("LineID", &line.id));
    xml.unless_empty("SpecifiedTradeProduct", |xml| filled(xml, "Name", &line.name));
    xml.element("SpecifiedLineTradeAgreement", |xml| {
        xml.element("NetPriceProductTradePrice", |xml| xml.text("ChargeAmount", &line.price.to_string()));
    });
    xml.element("SpecifiedLineTradeDelivery", |xml| {
        xml.text_with("BilledQuantity", &[("unitCode", line.unit)], &line.quantity.to_string());
    });
    xml.element("SpecifiedLineTradeSettlement", |xml| {
        xml.element("ApplicableTradeTax", |xml| {
            xml.text("TypeCode", "VAT");
            filled(xml, "CategoryCode", &line.category);
            xml.optional("RateApplicablePercent", line.rate.map(|rate| rate.to_string()).as_deref());
        });
        period(xml, line.period.as_ref());
        xml.element("SpecifiedTradeSettlementLineMonetarySummation", |xml| {
            xml.text("LineTotalAmount", &line.net.to_string());
        });
    });
}

fn party(xml: &mut Writer, party: &Party) {
    xml.optional("ID", party.identifier.as_deref());
    for global in &party.global_ids {
        xml.text_with("GlobalID", &[("schemeID", &global.scheme)], &global.id);
    }
    filled(xml, "Name", &party.name);
    if let Some(legal) = &party.legal_id {
        let scheme = [("schemeID", legal.scheme.as_str())];
        let scheme = if legal.scheme.is_empty() { &[] } else { &scheme[..] };
        xml.element("SpecifiedLegalOrganization", |xml| xml.text_with("ID", scheme, &legal.id));
    }
    if let Some(contact) = &party.contact {
        write_contact(xml, contact);
    }
    if let Some(postal) = &party.address {
        address(xml, postal);
    }
    if let Some(endpoint) = &party.endpoint {
        xml.element("URIUniversalCommunication", |xml| {
            xml.text_with("URIID", &[("schemeID", &endpoint.scheme)], &endpoint.id);
        });
    }
    for (scheme, number) in [("VA", &party.vat_id), ("FC", &party.tax_number)] {
        if let Some(number) = number {
            xml.element("SpecifiedTaxRegistration", |xml| {
                xml.text_with("ID", &[("schemeID", scheme)], number);
            });
        }
    }
}

fn write_contact(xml: &mut Writer, contact: &Contact) {
    xml.unless_empty("DefinedTradeContact", |xml| {
        filled(xml, "PersonName", &contact.name);
        xml.unless_empty("TelephoneUniversalCommunication", |xml| {
            filled(xml, "CompleteNumber", &contact.telephone);
        });
        xml.unless_empty("EmailURIUniversalCommunication", |xml| filled(xml, "URIID", &contact.email));
    });
}

fn address(xml: &mut Writer, address: &Address) {
    xml.element("PostalTradeAddress", |xml| {
        filled(xml, "PostcodeCode", &address.postcode);
        filled(xml, "LineOne", &address.street);
        filled(xml, "CityName", &address.city);
        filled(xml, "CountryID", &address.country);
        filled(xml, "CountrySubDivisionName", &address.region);
    });
}

fn delivery(xml: &mut Writer, invoice: &Invoice) {
    if let Some(to) = &invoice.deliver_to {
        xml.element("ShipToTradeParty", |xml| address(xml, to));
    }
    if let Some(day) = &invoice.delivery_date {
        xml.element("ActualDeliverySupplyChainEvent", |xml| {
            date(xml, "OccurrenceDateTime", "udt:DateTimeString", day);
        });
    }
}

fn settlement(xml: &mut Writer, invoice: &Invoice) {
    filled(xml, "InvoiceCurrencyCode", &invoice.currency);
    if let Some(payment) = &invoice.payment {
        payment_means(xml, payment);
    }
    for row in &invoice.tax_rows {
        xml.element("ApplicableTradeTax", |xml| tax_row(xml, row));
    }
    period(xml, invoice.period.as_ref());
    xml.unless_empty("SpecifiedTradePaymentTerms", |xml| {
        xml.optional("Description", invoice.payment_terms.as_deref());
        date(xml, "DueDateDateTime", "udt:DateTimeString", invoice.due_date.as_deref().unwrap_or_default());
    });
    xml.element("SpecifiedTradeSettlementHeaderMonetarySummation", |xml| totals(xml, invoice));
    for reference in &invoice.preceding {
        xml.unless_empty("InvoiceReferencedDocument", |xml| {
            filled(xml, "IssuerAssignedID", &reference.number);
            date(xml, "FormattedIssueDateTime", "qdt:DateTimeString", &reference.issue_date);
        });
    }
}

/// Each account is a means of payment of its own.
fn payment_means(xml: &mut Writer, payment: &Payment) {
    let accounts = payment.accounts.iter().map(Some);
    for account in accounts.chain(payment.accounts.is_empty().then_some(None)) {
        xml.unless_empty("SpecifiedTradeSettlementPaymentMeans", |xml| {
            filled(xml, "TypeCode", &payment.means);
            let Some(account) = account else { return };
            xml.unless_empty("PayeePartyCreditorFinancialAccount", |xml| {
                filled(xml, "IBANID", &account.iban);
                xml.optional("AccountName", account.name.as_deref());
            });
            xml.unless_empty("PayeeSpecifiedCreditorFinancialInstitution", |xml| {
                xml.optional("BICID", account.bic.as_deref());
            });
        });
    }
}

fn tax_row(xml: &mut Writer, row: &TaxRow) {
    xml.text("CalculatedAmount", &row.amount.to_string());
    xml.text("TypeCode", "VAT");
    xml.optional("ExemptionReason", row.reason.as_deref());
    xml.text("BasisAmount", &row.base.to_string());
    filled(xml, "CategoryCode", &row.category);
    xml.optional("ExemptionReasonCode", row.reason_code);
    xml.optional("RateApplicablePercent", row.rate.map(|rate| rate.to_string()).as_deref());
}

fn totals(xml: &mut Writer, invoice: &Invoice) {
    let totals = &invoice.totals;
    xml.text("LineTotalAmount", &totals.lines.to_string());
    xml.text("TaxBasisTotalAmount", &totals.net.to_string());
    xml.text_with("TaxTotalAmount", &[("currencyID", &invoice.currency)], &totals.tax.to_string());
    xml.optional("RoundingAmount", totals.rounding.map(|amount| amount.to_string()).as_deref());
    xml.text("GrandTotalAmount", &totals.gross.to_string());
    xml.optional("TotalPrepaidAmount", totals.paid.map(|amount| amount.to_string()).as_deref());
    xml.text("DuePayableAmount", &totals.payable.to_string());
}
