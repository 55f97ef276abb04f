// The audit suite of GraphQL over HTTP (npm graphql-http): no MUST and no SHOULD may fail.

import { auditServer } from "graphql-http";
import { endpoint, token } from "./gateway.js";

const authorization = `Bearer ${await token()}`;
const results = await auditServer({
  url: endpoint,
  fetchFn: (url, init = {}) => fetch(url, { ...init, headers: { ...init.headers, authorization } }),
});

const failed = results.filter((result) => result.status === "error" || result.status === "warn");
for (const { id, name, status, reason } of failed) console.error(`${status} ${id} ${name}: ${reason}`);
const notices = results.filter((result) => result.status === "notice");
for (const { id, name, reason } of notices) console.log(`notice ${id} ${name}: ${reason}`);
console.log(`${results.length} audits, ${failed.length} failed, ${notices.length} not offered`);
process.exit(failed.length === 0 && results.length > 50 ? 0 : 1);
