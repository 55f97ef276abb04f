// A stock client (openid-client) and a stock JOSE library (jose) against a gateway that serves.
//
// Told by the environment: ISSUER, INTERNAL (where the protected routes are), CLIENT_ID, CLIENT_SECRET.

import assert from 'node:assert/strict';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'openid-client';

const { ISSUER, INTERNAL, CLIENT_ID, CLIENT_SECRET } = process.env;

const ways = {
  client_secret_post: oauth.ClientSecretPost,
  client_secret_basic: oauth.ClientSecretBasic,
};

// The gateway of the suite speaks plain HTTP on this machine.
const discover = (way, secret) =>
  oauth.discovery(new URL(ISSUER), CLIENT_ID, {}, way(secret), {
    algorithm: 'oauth2',
    execute: [oauth.allowInsecureRequests],
  });

for (const [name, way] of Object.entries(ways)) {
  const config = await discover(way, CLIENT_SECRET);
  const metadata = config.serverMetadata();
  assert.equal(metadata.issuer, ISSUER);
  assert.ok(metadata.token_endpoint_auth_methods_supported.includes(name));

  const answer = await oauth.clientCredentialsGrant(config, { scope: 'platform' });
  assert.equal(answer.token_type, 'bearer');
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri));
  const { payload } = await jwtVerify(answer.access_token, keys, {
    issuer: ISSUER,
    audience: ISSUER,
    typ: 'at+jwt',
    algorithms: ['ES256'],
    requiredClaims: ['sub', 'client_id', 'iat', 'exp', 'jti', 'auth_time', 'scope'],
  });
  assert.equal(payload.sub, CLIENT_ID);

  const url = new URL('/invoicing/rpc/documents', INTERNAL);
  const taken = await oauth.fetchProtectedResource(config, answer.access_token, url, 'GET');
  assert.equal(taken.status, 200);
  console.log(`${name}: discovered, token issued, verified with the published keys, and taken`);

  const refused = oauth.clientCredentialsGrant(await discover(way, 'gws_wrong'));
  await assert.rejects(refused, (error) => {
    assert.equal(error.status ?? error.cause?.status, 401);
    return true;
  });
  const forged = answer.access_token.split('.').with(2, 'A'.repeat(86)).join('.');
  await assert.rejects(jwtVerify(forged, keys), { code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' });
  await assert.rejects(oauth.fetchProtectedResource(config, forged, url, 'GET'), (error) => {
    assert.equal(error.status ?? error.response?.status, 401);
    return true;
  });
  console.log(`${name}: a wrong secret and a forged token are refused`);
}
