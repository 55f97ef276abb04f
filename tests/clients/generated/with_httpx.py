"""A client that openapi-python-client made of both documents, used."""

import os
import uuid
from datetime import datetime, timezone

from gateway_internal.api.finance import command_credit, command_issue
from gateway_internal.api.invoice_documents import get_document, put_document
from gateway_internal.client import AuthenticatedClient
from gateway_internal.models import CommandFailure, CommandResult, CreditBody, Document, DocumentForm, IssueBody
from gateway_public.api.tokens import token
from gateway_public.client import Client
from gateway_public.models import AccessToken, TokenForm

asked = TokenForm.from_dict({
    "grant_type": "client_credentials",
    "client_id": os.environ["CLIENT_ID"],
    "client_secret": os.environ["CLIENT_SECRET"],
})
granted = token.sync(client=Client(base_url=os.environ["PUBLIC"]), body=asked)
assert isinstance(granted, AccessToken), granted
client = AuthenticatedClient(base_url=os.environ["INTERNAL"], token=granted.access_token)

document = uuid.uuid4()
form = DocumentForm.from_dict({
    "workspace_id": 1,
    "document_type": "invoice",
    "currency": "EUR",
    "prices_include_tax": True,
    "recipient": {"type": "individual", "name": "Jane Roe"},
    "lines": [{"description": "Studio", "quantity": "3", "unit_price": "89.90", "tax": {"category": "VAT", "rate": "10.0"}}],
})
draft = put_document.sync(document, client=client, body=form)
assert isinstance(draft, Document) and draft.totals.gross == "269.70", draft
refused = command_credit.sync(document, client=client, body=CreditBody(at=datetime.now(timezone.utc)))
assert isinstance(refused, CommandFailure), refused
print("refused", refused.code)
issued = command_issue.sync(document, client=client, body=IssueBody())
assert isinstance(issued, CommandResult), issued
found = get_document.sync(document, client=client)
assert isinstance(found, Document) and found.status == "issued", found
print("issued", found.display_document_number)
