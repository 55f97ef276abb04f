"""A client that OpenAPI Generator made of both documents, used."""

import os
import uuid
from datetime import datetime, timezone

import gateway_internal as internal
import gateway_public as public

configured = public.Configuration(host=os.environ["PUBLIC"])
with public.ApiClient(configured) as open_client:
    asked = {
        "grant_type": "client_credentials",
        "client_id": os.environ["CLIENT_ID"],
        "client_secret": os.environ["CLIENT_SECRET"],
    }
    granted = public.TokensApi(open_client).token(public.TokenForm.from_dict(asked))

configured = internal.Configuration(host=os.environ["INTERNAL"], access_token=granted.access_token)
with internal.ApiClient(configured) as client:
    documents, finance = internal.InvoiceDocumentsApi(client), internal.FinanceApi(client)
    document = uuid.uuid4()
    form = internal.DocumentForm(
        workspace_id=1,
        document_type="invoice",
        currency="EUR",
        prices_include_tax=True,
        recipient=internal.RecipientForm(internal.IndividualForm(type="individual", name="Jane Roe")),
        lines=[
            internal.LineForm(
                description="Studio",
                quantity="3",
                unit_price="89.90",
                tax=internal.LineTaxForm(category="VAT", rate="10.0"),
            )
        ],
    )
    draft = documents.put_document(document, form)
    assert draft.totals.gross == "269.70", draft
    try:
        finance.command_credit(document, internal.CreditBody(at=datetime.now(timezone.utc)))
        raise AssertionError("a draft was credited")
    except internal.ApiException as refused:
        assert refused.status == 422, refused
        print("refused", refused.status)
    issued = finance.command_issue(document, issue_body=internal.IssueBody())
    found = documents.get_document(document)
    assert found.status == "issued", found
    print("issued", found.display_document_number)
