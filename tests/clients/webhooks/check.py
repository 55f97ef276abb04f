"""Webhooks of a gateway that serves, verified by the library of the Standard Webhooks specification.

Told by the environment: PUBLIC (the listener), CLIENT_ID, CLIENT_SECRET (of a client that may do everything in every
workspace). Workspace 1 exists, and the gateway may send to this machine.
"""

import base64
import json
import os
import queue
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

public = os.environ["PUBLIC"]
client_id, client_secret = os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]
arrived = queue.Queue()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        arrived.put((dict(self.headers.items()), body.decode()))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()


def call(method, path, body=None, authorization=None):
    basic = base64.b64encode(f"{client_id}:{client_secret}".encode()).decode()
    headers = {
        "authorization": authorization or f"Basic {basic}",
        "xx-subscription-portal-id": "1",
        "content-type": "application/json",
    }
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(public + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def next_arrived():
    return arrived.get(timeout=30)


def refused(secret, body, headers):
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return True
    return False


url = f"http://127.0.0.1:{receiver.server_address[1]}/hooks"
registrations = "/api/dev/webhook_registrations"
made = call("POST", registrations, {"notification_url": url})["webhook_registration"]
first, path = made["secret"], f"{registrations}/{made['id']}"

token = call("POST", "/v1/oauth2/token", {"grant_type": "client_credentials"})["access_token"]
mutation = """mutation { catalog { productGroup { create(input: {productGroup: {internalReference: "A", workspaceId: "1", academicYear: "2026/2027",
  contractEarliestStartDate: "2026-09-01", contractLatestStartDate: "2026-10-01",
  contractEarliestEndDate: "2027-06-01", contractLatestEndDate: "2027-08-31"}}) { id } } } }"""
answer = call("POST", "/v1", {"query": mutation}, f"Bearer {token}")
group = answer["data"]["catalog"]["productGroup"]["create"]["id"]

headers, body = next_arrived()
event = Webhook(first).verify(body, headers)
assert event["type"] == "product_group.changed" and event["data"]["id"] == group, event
assert refused(first, body.replace("INACTIVE", "ACTIVE"), headers), "a body that was changed"
assert refused("whsec_" + base64.b64encode(b"x" * 32).decode(), body, headers), "another secret"
print("a change arrived and is verified:", event)

second = call("POST", f"{path}/rotate_secret")["webhook_registration"]["secret"]
call("POST", f"{path}/test")
headers, body = next_arrived()
for secret in (first, second):
    assert Webhook(secret).verify(body, headers)["type"] == "webhook.test"
print("after a rotation both secrets verify")

third = call("POST", f"{path}/rotate_secret")["webhook_registration"]["secret"]
call("POST", f"{path}/test")
headers, body = next_arrived()
assert refused(first, body, headers), "the secret before the one before"
for secret in (second, third):
    Webhook(secret).verify(body, headers)
print("after the next one the first secret verifies nothing")

delivery = call("GET", f"{path}/deliveries")["deliveries"][0]
call("POST", f"{path}/replay", {"delivery_id": delivery["id"]})
again, body_again = next_arrived()
Webhook(third).verify(body_again, again)
lower = lambda names: {name.lower(): value for name, value in names.items()}
assert lower(again)["webhook-id"] == lower(headers)["webhook-id"] and body_again == body
print("a replay is the same event under the same id")
