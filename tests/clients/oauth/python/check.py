"""A stock client and a stock resource server (Authlib) against a gateway that serves.

Told by the environment: ISSUER, INTERNAL (where the protected routes are), CLIENT_ID, CLIENT_SECRET.
"""

import os

# The gateway of the suite speaks plain HTTP on this machine.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc6750.errors import InvalidTokenError
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata, get_well_known_url
from authlib.oauth2.rfc9068 import JWTBearerTokenValidator
from joserfc.jwk import KeySet

issuer, internal = os.environ["ISSUER"], os.environ["INTERNAL"]
client_id, client_secret = os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]

found = requests.get(get_well_known_url(issuer, external=True), timeout=10)
found.raise_for_status()
metadata = AuthorizationServerMetadata(found.json())
metadata.validate()
assert metadata.issuer == issuer, metadata
print("discovered and valid by RFC 8414:", metadata.token_endpoint)


class ResourceServer(JWTBearerTokenValidator):
    """What RFC 9068 asks of whoever takes the tokens."""

    def get_jwks(self):
        answer = requests.get(metadata.jwks_uri, timeout=10)
        answer.raise_for_status()
        return KeySet.import_key_set(answer.json())


server = ResourceServer(issuer=issuer, resource_server=issuer)


def session(method, secret=client_secret):
    return OAuth2Session(client_id, secret, token_endpoint_auth_method=method)


for method in metadata.token_endpoint_auth_methods_supported:
    client = session(method)
    token = client.fetch_token(metadata.token_endpoint, grant_type="client_credentials")
    assert token["token_type"] == "Bearer" and token["expires_in"] > 0, token.keys()
    claims = server.authenticate_token(token["access_token"])
    server.validate_token(claims, ["platform"], None)
    assert claims["sub"] == claims["client_id"] == client_id, claims
    answer = client.get(f"{internal}/invoicing/rpc/documents", timeout=10)
    assert answer.status_code == 200, answer.text
    print(f"{method}: token issued, verified by RFC 9068, and taken")

    try:
        session(method, "gws_wrong").fetch_token(metadata.token_endpoint, grant_type="client_credentials")
        raise SystemExit(f"{method}: a wrong secret was taken")
    except OAuthError as refused:
        assert refused.error == "invalid_client", refused
    print(f"{method}: a wrong secret is invalid_client")

    head, body, signature = token["access_token"].split(".")
    changed = ("A" if signature[0] != "A" else "B") + signature[1:]
    try:
        server.validate_token(server.authenticate_token(f"{head}.{body}.{changed}"), None, None)
        raise SystemExit("a changed signature was taken")
    except InvalidTokenError:
        pass
