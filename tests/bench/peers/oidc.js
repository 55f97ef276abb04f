// Access tokens of oidc-provider: client credentials for one resource, a JWT signed with ES256, everything in memory.

import { createServer } from "node:http";
import { generateKeyPairSync } from "node:crypto";
import Provider from "oidc-provider";
import { required, serve } from "./workers.js";

const RESOURCE = "urn:bench:resource";

/** One key for all processes, since any of them answers. */
function key() {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return JSON.stringify({ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256" });
}

await serve(async (shared) => {
  const provider = new Provider("http://127.0.0.1", {
    clients: [
      {
        client_id: required("PEER_CLIENT_ID"),
        client_secret: required("PEER_CLIENT_SECRET"),
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: "ES256",
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    jwks: { keys: [JSON.parse(shared)] },
    scopes: ["platform"],
    ttl: { ClientCredentials: 3600 },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        getResourceServerInfo: () => ({
          scope: "platform",
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  });
  const server = createServer(provider.callback());
  server.listen({ host: "127.0.0.1", port: 0 });
}, key);
