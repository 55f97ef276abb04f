"""A tax regime in Python, built by build.sh from the contract in wit/v1.

The class `Regime` is what the world `tax-regime` asks for. A plugin is a pure function: no clock, no files, no
network, no randomness. The figures come with the invoice; they are mapped, never added up.
"""

import json
from typing import Any, List, Optional

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import types
from wit_world.imports.types import (
    Acceptance,
    Amount,
    CategoryChoice,
    Context,
    Description,
    Document,
    DocumentKind,
    Fault,
    Identity_Other,
    Identity_TaxId,
    IdentityKind,
    Invoice,
    OtherIdentity,
    ProviderResult,
    Recipient_Company,
    Recipient_Individual,
    Rejection,
    Remark,
    Rounding,
    Severity,
    TaxIdentity,
    Verdict_Accepted,
    Verdict_Rejected,
    Verdict_Undecided,
)

STAMP_QR = "xx-demo-qr"
# What the provider calls the authority. Its steps have the name as their first part: `xx-demo.send`.
AUTHORITY = ["xx-demo", "xx-demo-py"]
IDENTITY_KEYS = {
    IdentityKind.PASSPORT: "passport",
    IdentityKind.ID_CARD: "national",
    IdentityKind.FOREIGN_NATIONAL_ID: "national",
    IdentityKind.SPANISH_RESIDENT_PERMIT: "resident",
}


class Regime(exports.Regime):
    def describe(self) -> Description:
        return Description(
            key="xx-demo-py",
            title="Demonstration in Python",
            country="XX",
            tax_system="XX-DEMO",
            version="0.1.0",
            kinds=[DocumentKind.INVOICE, DocumentKind.SIMPLIFIED_INVOICE, DocumentKind.CREDIT_NOTE],
            categories=[CategoryChoice(key="VAT", title="Value added tax", rates=[])],
            exemptions=[],
            retentions=[],
            rounding=Rounding.PRECISE,
            settings_schema='{"type":"object","additionalProperties":false}',
            required_workspace_fields=["legal-name", "tax-id", "country"],
            ext=[],
        )

    def check(self, invoice: Invoice, context: Context) -> List[Fault]:
        faults = []
        if invoice.kind in (DocumentKind.DEBIT_NOTE, DocumentKind.REPLACEMENT_INVOICE):
            message = "This tax system takes invoices and credit notes only; make one of these."
            faults.append(error("XX-DEMO-KIND-01", "/document_type", message))
        recipient = invoice.recipient
        if isinstance(recipient, Recipient_Company):
            if recipient.value.tax_number is None or recipient.value.country is None:
                faults.append(company_without_tax_number())
        elif isinstance(recipient, Recipient_Individual) and recipient.value.identity_document is None:
            faults.append(person_without_document())
        for index, line in enumerate(invoice.lines):
            if line.tax.surcharge is not None:
                message = "There is no surcharge in this tax system; remove it from the line."
                faults.append(error("XX-DEMO-TAX-01", f"/lines/{index}/tax/surcharge", message))
        return faults

    def convert(self, invoice: Invoice, context: Context) -> Document:
        faults = self.check(invoice, context)
        if faults:
            raise Err(faults)
        body = json.dumps(document(invoice, context), ensure_ascii=False, separators=(",", ":"))
        return Document(media_type="application/json", body=body, payable=invoice.totals.payable)

    def map_identity(self, recipient: types.Recipient) -> types.Identity:
        party = recipient.value
        if isinstance(recipient, Recipient_Company):
            if party.tax_number is None or party.country is None:
                raise Err([company_without_tax_number()])
            return Identity_TaxId(TaxIdentity(country=party.country, code=party.tax_number))
        known = party.identity_document
        if known is None:
            raise Err([person_without_document()])
        key = IDENTITY_KEYS.get(known.kind, "other")
        return Identity_Other(
            OtherIdentity(country=known.country or "", code=known.number, type_key=key, type_code="")
        )

    def interpret(self, outcome: ProviderResult) -> types.Verdict:
        complaints = [fault for fault in outcome.faults if is_of_authority(fault)]
        others = [fault for fault in outcome.faults if not is_of_authority(fault)]
        if complaints:
            faults = [
                error(fault.code or "AUTHORITY", path, reason(fault))
                for fault in complaints
                for path in (fault.paths or [""])
            ]
            first = complaints[0]
            return Verdict_Rejected(Rejection(code=first.code, reason=reason(first), faults=faults))
        stamp = next((stamp for stamp in outcome.stamps if stamp.provider == STAMP_QR), None)
        if outcome.succeeded and stamp is not None:
            warnings = [Remark(code=fault.code or fault.provider or "", message=failure(fault)) for fault in others]
            return Verdict_Accepted(Acceptance(qr_url=stamp.value, tax_system_hash=None, warnings=warnings))
        # The gateway adds what to do.
        if others:
            return Verdict_Undecided(failure(others[0]))
        if outcome.succeeded:
            return Verdict_Undecided("The provider reports success but no verification address")
        return Verdict_Undecided("The provider's job failed without saying why")


def is_of_authority(fault: types.ProviderFault) -> bool:
    """Only the authority rejects. A fault that names nobody is taken for its own."""
    app = (fault.provider or "").lower().split(".")[0]
    return not app or app in AUTHORITY


def error(code: str, path: str, message: str) -> Fault:
    return Fault(code=code, path=path, message=message, severity=Severity.ERROR)


def company_without_tax_number() -> Fault:
    message = "A company needs a country and a tax number; add both to the recipient."
    return error("XX-DEMO-RECIPIENT-01", "/recipient/tax_number", message)


def person_without_document() -> Fault:
    message = "A person needs an identity document; add it to the recipient."
    return error("XX-DEMO-RECIPIENT-02", "/recipient/identity_document", message)


def reason(fault: types.ProviderFault) -> str:
    message = fault.message or "The authority refused the document without a reason."
    return f"{message} ({fault.code})" if fault.code else message


def failure(fault: types.ProviderFault) -> str:
    code = f" ({fault.code})" if fault.code else ""
    return f"The provider's step {fault.provider} failed: {fault.message or 'it does not say why'}{code}"


def document(invoice: Invoice, context: Context) -> Any:
    included = invoice.prices_include_tax and invoice.lines
    return present(
        {
            "$schema": "https://gobl.org/draft-0/bill/invoice",
            "uuid": invoice.uuid,
            "type": kind(invoice.kind),
            "code": invoice.number,
            "issue_date": invoice.issue_date,
            "op_date": invoice.operation_date,
            "currency": invoice.currency,
            "preceding": [
                present(
                    {
                        "uuid": earlier.uuid,
                        "type": kind(earlier.kind),
                        "issue_date": earlier.issue_date,
                        "code": earlier.number,
                        "reason": earlier.reason,
                    }
                )
                for earlier in invoice.preceding
            ],
            "tax": {"prices_include": invoice.lines[0].tax.category} if included else None,
            "supplier": supplier(context),
            "customer": customer(invoice.recipient),
            "lines": [line(item) for item in invoice.lines],
            "totals": totals(invoice.totals),
            "notes": [{"text": invoice.notes}] if invoice.notes else None,
        }
    )


def kind(of: DocumentKind) -> str:
    if of == DocumentKind.CREDIT_NOTE:
        return "credit-note"
    return "debit-note" if of == DocumentKind.DEBIT_NOTE else "standard"


def supplier(context: Context) -> Any:
    own = context.supplier
    return present(
        {
            "uuid": context.company_id,
            "name": own.legal_name,
            "tax_id": {"country": own.country, "code": own.tax_id},
            "addresses": addresses(own.address),
        }
    )


def customer(recipient: Optional[types.Recipient]) -> Any:
    if recipient is None:
        return None
    party = recipient.value
    tax_id = identities = None
    if isinstance(recipient, Recipient_Company):
        tax_id = present({"country": party.country, "code": party.tax_number})
    elif party.identity_document is not None:
        known = party.identity_document
        key = IDENTITY_KEYS.get(known.kind, "other")
        identities = [present({"country": known.country, "key": key, "code": known.number})]
    return present(
        {
            "name": party.name,
            "tax_id": tax_id,
            "identities": identities,
            "addresses": addresses(party.address),
            "emails": [{"addr": party.email}] if party.email else None,
        }
    )


def addresses(of: Optional[types.Address]) -> Any:
    if of is None:
        return None
    return [
        present(
            {
                "street": of.street,
                "locality": of.locality,
                "region": of.region,
                "code": of.postcode,
                "country": of.country,
            }
        )
    ]


def line(of: types.Line) -> Any:
    return {
        "i": of.index,
        "quantity": money(of.quantity),
        "item": {"name": of.description, "price": money(of.unit_price)},
        "sum": money(of.sum),
        "taxes": [present({"cat": of.tax.category, "percent": percent(of.tax.rate)})],
        "total": money(of.total),
    }


def totals(of: types.Totals) -> Any:
    categories = [
        {
            "code": category.category,
            "rates": [
                present(
                    {"base": money(rate.base), "percent": percent(rate.rate), "amount": money(rate.amount)}
                )
                for rate in category.rates
            ],
            "amount": money(category.amount),
        }
        for category in of.categories
    ]
    return present(
        {
            "sum": money(of.sum),
            "tax_included": None if of.tax_included is None else money(of.tax_included),
            "total": money(of.net),
            "taxes": {"categories": categories, "sum": money(of.tax)},
            "tax": money(of.tax),
            "total_with_tax": money(of.gross),
            "payable": money(of.payable),
        }
    )


def money(amount: Amount) -> str:
    """A decimal with all its decimals. No float ever touches it."""
    sign = "-" if amount.units < 0 else ""
    digits = str(abs(amount.units)).rjust(amount.scale + 1, "0")
    if amount.scale == 0:
        return sign + digits
    return f"{sign}{digits[: -amount.scale]}.{digits[-amount.scale :]}"


def percent(rate: Optional[Amount]) -> Optional[str]:
    """`21.0%`: at least one decimal, and no needless ones."""
    if rate is None:
        return None
    units, scale = rate.units, rate.scale
    while scale > 1 and units % 10 == 0:
        units, scale = units // 10, scale - 1
    if scale == 0:
        units, scale = units * 10, 1
    return money(Amount(units=units, scale=scale)) + "%"


def present(members: dict) -> dict:
    """Without the members that are absent or empty."""
    return {key: value for key, value in members.items() if value is not None and value != []}
