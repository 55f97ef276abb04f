// Product groups over fastify and mercurius with its JIT, from PostgreSQL by a prepared statement: the page, the names and the
// cursor of the gateway, written by hand.

import Fastify from "fastify";
import mercurius from "mercurius";
import pg from "pg";
import { checker } from "./tokens.js";
import { required, serve } from "./workers.js";

// Dates and times stay texts: nothing is computed with them, and a time keeps its microseconds.
for (const type of [pg.types.builtins.DATE, pg.types.builtins.TIMESTAMPTZ]) pg.types.setTypeParser(type, String);

const SCHEMA = `
  type Query { catalog: Catalog! }
  type Catalog { productGroups(first: Int!, after: String): ProductGroups! }
  type ProductGroups { nodes: [ProductGroup!]! pageInfo: PageInfo! }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type ProductGroup { id: ID! internalReference: String! publishing: Publishing! }
  type Publishing { startDate: String endDate: String state: State! }
  enum State { SCHEDULED ONGOING FINISHED }
`;

const PAGE = {
  name: "page",
  text: `SELECT id, internal_reference, publishing_start_date, publishing_end_date, created_at FROM product_group
    WHERE workspace_id = $1 AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4`,
};
const WORKSPACE = 1;
const START = ["-infinity", "00000000-0000-0000-0000-000000000000"];

const cursor = (row) => Buffer.from(`${row.created_at}|${row.id}`).toString("base64url");
const place = (after) => (after ? Buffer.from(after, "base64url").toString().split("|") : START);

function stateOf(start, end, today) {
  if (end !== null && today > end) return "FINISHED";
  return start === null || today < start ? "SCHEDULED" : "ONGOING";
}

function groupOf(row, today) {
  const { id, internal_reference: internalReference } = row;
  const { publishing_start_date: startDate, publishing_end_date: endDate } = row;
  return { id, internalReference, publishing: { startDate, endDate, state: stateOf(startDate, endDate, today) } };
}

await serve(async () => {
  const check = await checker();
  const pool = new pg.Pool({ connectionString: required("PEER_POSTGRES") });

  async function productGroups({ first, after }) {
    const { rows } = await pool.query({ ...PAGE, values: [WORKSPACE, ...place(after), first + 1] });
    const shown = rows.slice(0, first);
    const today = new Date().toISOString().slice(0, 10);
    return {
      nodes: shown.map((row) => groupOf(row, today)),
      pageInfo: { hasNextPage: rows.length > first, endCursor: shown.length ? cursor(shown.at(-1)) : null },
    };
  }

  const app = Fastify();
  await app.register(mercurius, {
    schema: SCHEMA,
    resolvers: { Query: { catalog: () => ({}) }, Catalog: { productGroups: (_, page) => productGroups(page) } },
    context: (request) => ({ caller: check(request.headers.authorization) }),
    jit: 1,
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
});
