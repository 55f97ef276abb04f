// A client whose types openapi-typescript made of both documents: what it sends and reads is checked when it is compiled.
import createClient from "openapi-fetch";
import type { components, paths as Internal } from "./internal";
import type { components as Told, paths as Public } from "./public";

const { PUBLIC, INTERNAL, CLIENT_ID, CLIENT_SECRET } = process.env as Record<string, string>;

function have<T>(value: T | undefined, error: unknown): T {
  if (value === undefined) throw new Error(JSON.stringify(error));
  return value;
}

const open = createClient<Public>({ baseUrl: PUBLIC });
const asked = await open.POST("/v1/oauth2/token", {
  body: { grant_type: "client_credentials", client_id: CLIENT_ID!, client_secret: CLIENT_SECRET! },
});
const { access_token } = have(asked.data, asked.error);
const client = createClient<Internal>({ baseUrl: INTERNAL, headers: { Authorization: `Bearer ${access_token}` } });

const path = { uuid: crypto.randomUUID() };
const body: components["schemas"]["DocumentForm"] = {
  workspace_id: 1,
  document_type: "invoice",
  currency: "EUR",
  prices_include_tax: true,
  recipient: { type: "individual", name: "Jane Roe" },
  lines: [{ description: "Studio", quantity: "3", unit_price: "89.90", tax: { category: "VAT", rate: "10.0" } }],
};
const put = await client.PUT("/invoicing/rpc/documents/{uuid}", { params: { path }, body });
console.log("draft", have(put.data, put.error).totals.gross);

// A refusal has a type too.
const refused = await client.POST("/finance/rpc/documents/{uuid}/commands/credit", {
  params: { path },
  body: { at: new Date().toISOString() },
});
if (refused.response.status !== 422 || refused.error === undefined) throw new Error(`credited: ${refused.response.status}`);
if (!("code" in refused.error)) throw new Error(JSON.stringify(refused.error));
console.log("refused", refused.error.code);

const issue = await client.POST("/finance/rpc/documents/{uuid}/commands/issue", { params: { path }, body: {} });
const issued = have(issue.data, issue.error);
console.log("issued", issued.document.display_document_number, issued.document.status);
if (issued.document.status !== "issued") throw new Error(issued.document.status);

// What arrives at a webhook is told apart by its event.
type Notification = Told["schemas"]["InvoiceIssuedNotification"] | Told["schemas"]["TaskChangedNotification"];
const heard = (one: Notification) => (one.type === "invoice.issued" ? one.data.status : one.data.unit_id);
console.log("notification", heard({
  type: "invoice.issued",
  timestamp: new Date().toISOString(),
  data: { id: path.uuid, document_type: "invoice", status: "issued", display_document_number: null, booking_id: null, workspace_id: 1, sequence: 1 },
}));
