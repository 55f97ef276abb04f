//! The structured document. Figures are the gateway's: nothing is added up here.

use einvoice_eu::{payment, taxes};
use einvoice_gobl::{Money, Parts, assemble, ext, format, issued_number, json_document, party, preceding};
use einvoice_plugin::{Context, Document, DocumentKind, Faults, Invoice, Preceding};

use crate::PREFIX;
use crate::authority::STAMP_NUMBER;
use crate::check::{self, Examination};
use crate::rows::Rows;
use crate::tables::{
    DocType, EXEMPTION_TEXT, EXEMPTIONS, EXT, EXT_EFFECTIVE_DATE, EXT_EXEMPTION, EXT_INVOICE_TYPE,
    EXT_PAYMENT_MEANS, EXT_REVERSE_CHARGE, EXT_ROLE, MEANS, MEMBERSHIPS, RATES, is_simplified,
};

/// Converts a document with a number; anything the check objects to is refused.
pub fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
    let Examination { findings, settings, doc_type, nip, identity } = check::examine(invoice, context);
    findings.into_result()?;
    let number = issued_number(invoice, PREFIX)?;
    let reverse_charge = taxes::any_line(invoice, EXEMPTIONS, "reverse-charge");
    let exempt = taxes::any_line(invoice, EXEMPTIONS, "exempt");
    let simplified = is_simplified(invoice).then_some("simplified");
    let tags = [
        doc_type.tag.filter(|tag| *tag != "simplified"),
        simplified,
        reverse_charge.then_some("reverse-charge"),
    ];
    let tax_ext = [
        Some((EXT_INVOICE_TYPE, doc_type.code)),
        exempt.then(|| (EXT_EXEMPTION, settings.exemption_basis.code())),
        reverse_charge.then_some((EXT_REVERSE_CHARGE, "1")),
    ];
    let mapping = Rows::of(invoice);
    let effect = ext::of(EXT, &invoice.ext, "effective-date").map(|entry| entry.value.as_str());
    let parts = Parts {
        kind: if invoice.kind == DocumentKind::CreditNote { "credit-note" } else { "standard" },
        tags: tags.into_iter().flatten().map(Into::into).collect(),
        code: number,
        preceding: invoice.preceding.iter().map(|one| reference(&mapping, one, doc_type, effect)).collect(),
        tax_ext: tax_ext.into_iter().flatten().map(|(key, code)| (key, code.into())).collect(),
        supplier: party::supplier(context, "PL", nip.as_str()),
        customer: invoice.recipient.as_ref().map(|recipient| {
            let customer = party::customer(recipient, identity.as_ref(), |other| {
                party::identity(other, &other.type_key, Vec::new())
            });
            with_memberships(customer, invoice)
        }),
    };
    let mut document = assemble(&mapping, invoice, parts)?;
    taxes::name_rates(&mut document, invoice, RATES);
    let instructions =
        settings.payment.as_ref().map(|payment| payment.instructions(MEANS, EXT_PAYMENT_MEANS));
    payment::complete(&mut document, invoice, instructions);
    if exempt {
        let text = settings.exemption_text.as_deref().unwrap_or(EXEMPTION_TEXT);
        document.notes.push(format::Note {
            key: "legal".into(),
            code: Some(settings.exemption_basis.code().into()),
            src: Some(EXT_EXEMPTION.into()),
            text: text.into(),
            ..format::Note::default()
        });
    }
    json_document(&document, invoice, PREFIX)
}

/// The recipient with what it is besides.
fn with_memberships<'a>(mut customer: format::Party<'a>, invoice: &'a Invoice) -> format::Party<'a> {
    let find_ext =
        |key| ext::of_document_or_recipient(EXT, invoice, key).map(|(entry, _)| entry.value.as_str());
    for membership in &MEMBERSHIPS {
        customer.ext.extend(find_ext(membership.key).map(|is| (membership.key, is.into())));
        customer.identities.extend(find_ext(membership.code_key).map(|code| format::Identity {
            code: code.trim().into(),
            ext: vec![(EXT_ROLE, membership.role.into())],
            ..format::Identity::default()
        }));
    }
    customer
}

/// What a correction corrects, under KSeF's number of it where it has one.
fn reference<'a>(
    mapping: &Rows,
    one: &'a Preceding,
    doc_type: DocType,
    effect: Option<&'a str>,
) -> format::DocumentRef<'a> {
    let mut reference = preceding(mapping, one, false);
    // Of an advance or a settlement KSeF wants to know what it came to before (`P_15ZK`).
    let is_of_advance = ["KOR_ZAL", "KOR_ROZ"].contains(&doc_type.code);
    reference.payable = one.totals.as_ref().filter(|_| is_of_advance).map(|totals| Money(totals.payable));
    let stamps = one.stamps.iter().filter(|stamp| stamp.provider == STAMP_NUMBER);
    reference.stamps = stamps
        .map(|stamp| format::Stamp {
            provider: stamp.provider.as_str().into(),
            value: stamp.value.as_str().into(),
        })
        .collect();
    reference.ext = effect.map(|effect| (EXT_EFFECTIVE_DATE, effect.into())).into_iter().collect();
    reference
}
