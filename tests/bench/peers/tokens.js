// Access tokens of the gateway, checked with the keys that it publishes.

import { createPublicKey } from "node:crypto";
import { createVerifier } from "fast-jwt";
import { required } from "./workers.js";

/**
 * A check of the header `Authorization`; it throws unless the token is good. A good one is known again by its hash until it ends, as
 * the gateway does it.
 */
export async function checker() {
  const answer = await fetch(required("PEER_KEYS"));
  const { keys } = await answer.json();
  if (keys.length !== 1) throw new Error(`there are ${keys.length} keys instead of one`);
  const key = createPublicKey({ key: keys[0], format: "jwk" }).export({ type: "spki", format: "pem" });
  const verify = createVerifier({ key, algorithms: ["ES256"], cache: true });
  return (authorization) => {
    if (!authorization?.startsWith("Bearer ")) throw Object.assign(new Error("there is no token"), { statusCode: 401 });
    return verify(authorization.slice("Bearer ".length));
  };
}
