"""The OpenAPI documents of a gateway that serves: valid by the specification's own schema, and true (Schemathesis).

Told by the environment: PUBLIC and INTERNAL (the listeners), CLIENT_ID, CLIENT_SECRET (of a client that may do
everything in every workspace). Workspace 1 holds data.ndjson and is configured for e-invoicing.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import requests
from openapi_spec_validator import OpenAPIV31SpecValidator

HERE = Path(__file__).parent
SEED = "20261120"
# Of the documents' own examples, so that they find something.
ISSUED = "0197f4f2-0000-7000-8000-000000000001"

public, internal = os.environ["PUBLIC"], os.environ["INTERNAL"]
client_id, client_secret = os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]


def operations(document, wanted):
    """The names of the operations for which `wanted(method, operation)` holds."""
    methods = (pair for path in document["paths"].values() for pair in path.items())
    return [operation["operationId"] for method, operation in methods if wanted(method, operation)]


documents = {}
for listener in (public, internal):
    document = requests.get(listener + "/openapi.json", timeout=10).json()
    OpenAPIV31SpecValidator(document).validate()
    count = len(operations(document, lambda *_: True))
    print(f"valid by OpenAPI {document['openapi']}: {document['info']['title']}, {count} operations")
    documents[listener] = document

asked = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret}
token = requests.post(public + "/v1/oauth2/token", json=asked, timeout=10).json()["access_token"]
bearer = {"Authorization": f"Bearer {token}"}


def call(method, path, body):
    answer = requests.request(method, internal + path, json=body, headers=bearer, timeout=30)
    assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text}"
    return answer.json()


# An invoice that the tax authority accepted: its submission, structured document, proof and events are there.
put = documents[internal]["paths"]["/invoicing/rpc/documents/{uuid}"]["put"]["requestBody"]
draft = put["content"]["application/json"]["examples"]["individual"]["value"]
call("PUT", f"/invoicing/rpc/documents/{ISSUED}", {**draft, "booking_id": "0197f4f2-0000-7000-8000-0000000000b1"})
call("POST", f"/finance/rpc/documents/{ISSUED}/commands/issue", {})
deadline = time.monotonic() + 60
while (status := call("GET", f"/invoicing/rpc/documents/{ISSUED}", None)["status"]) != "issued":
    assert time.monotonic() < deadline, f"the invoice is still {status}"
    time.sleep(0.1)


def run(name, listener, credentials, examples, included):
    """One run over the operations of these names, with a configuration of its own."""
    print(f"\n--- {name}: {len(included)} operations", flush=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "schemathesis.toml"
        config.write_text((HERE / "schemathesis.toml").read_text() + credentials)
        command = [Path(sys.executable).with_name("schemathesis"), "--config-file", config, "run"]
        command += [listener + "/openapi.json", "--max-examples", str(examples), "--seed", SEED, "--checks", "all"]
        for operation in included:
            command += ["--include-operation-id", operation]
        environment = {**os.environ, "SCHEMATHESIS_HOOKS": "calls", "PYTHONPATH": str(HERE)}
        ended = subprocess.run([str(word) for word in command], check=False, cwd=folder, env=environment)
    print(f"--- {name}: {time.monotonic() - started:.0f} s", flush=True)
    return ended.returncode == 0


def tagged(document, *tags):
    return operations(document, lambda _, operation: operation["tags"][0] in tags)


legacy = tagged(documents[public], "Legacy REST API", "Webhook registrations")
tokens = tagged(documents[public], "Tokens")
reads = operations(documents[internal], lambda method, operation: operation["tags"][0] != "Admin" or method == "get")
basic = f'\n[auth.openapi.basic]\nusername = "{client_id}"\npassword = "{client_secret}"\n'
basic += '\n[auth.openapi.portal]\napi_key = "1"\n'
header = f'\n[auth.openapi.bearer]\nbearer = "{token}"\n'
others = [name for name in operations(documents[public], lambda *_: True) if name not in legacy + tokens]

outcomes = [
    run("internal", internal, header, 20, [name for name in reads if name != "token"]),
    run("legacy", public, basic, 20, legacy),
    run("public", public, header, 20, others),
    run("tokens", public, "", 20, tokens),
]
sys.exit(0 if all(outcomes) else 1)
