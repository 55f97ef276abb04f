// The console in a browser, as operators and finance use it: every page and every action, on a desk and on a phone, in the light and
// in the dark. Nothing may be written to the browser's console as an error, nothing may be asked of another origin, and axe may
// find nothing serious. Pictures of every page are kept in SCREENSHOTS.

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { strict as assert } from "node:assert";
import { chromium } from "playwright-core";

const { PUBLIC, INTERNAL, CLIENT_ID, CLIENT_SECRET, READER_ID, READER_SECRET, COMPONENT, SCREENSHOTS, CHROMIUM, WORKSPACE } =
  process.env;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ID = "0197f4f2-0000-7000-8000-0000000000d1";

rmSync(SCREENSHOTS, { recursive: true, force: true });
mkdirSync(SCREENSHOTS, { recursive: true });

const answer = await fetch(`${PUBLIC}/v1/oauth2/token`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ grant_type: "client_credentials", client_id: CLIENT_ID, client_secret: CLIENT_SECRET }),
});
const token = (await answer.json()).access_token;

async function call(method, path, body) {
  const response = await fetch(INTERNAL + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${await response.clone().text()}`);
  return response.json();
}

// A draft for a recipient of this name; names steer the stand-in for the provider.
async function draft(name) {
  const id = randomUUID();
  await call("PUT", `/invoicing/rpc/documents/${id}`, {
    workspace_id: Number(WORKSPACE),
    document_type: "invoice",
    currency: "EUR",
    prices_include_tax: true,
    recipient: {
      type: "individual",
      name,
      identity_document: { type: "passport", number: "123456789", country: "GB" },
      address: { street: "1 High St", locality: "Leeds", postcode: "LS1 1AA", country: "GB" },
    },
    lines: [{ description: "Studio, 3 nights", quantity: "3", unit_price: "89.90", tax: { category: "VAT", rate: "10.0" } }],
  });
  return id;
}

// Where a webhook of the workspace goes.
const receiver = createServer((_, response) => response.writeHead(204).end());
await new Promise((listening) => receiver.listen(0, "127.0.0.1", listening));
const registered = await fetch(`${PUBLIC}/v1/webhooks`, {
  method: "POST",
  headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  body: JSON.stringify({ workspace_id: Number(WORKSPACE), notification_url: `http://127.0.0.1:${receiver.address().port}/hook` }),
});
assert.equal(registered.status, 201, await registered.text());

// What the QR codes on the pages of a PDF say.
function codes(pdf) {
  const folder = mkdtempSync(join(tmpdir(), "codes-"));
  try {
    execFileSync("pdftoppm", ["-r", "200", "-png", pdf, join(folder, "page")]);
    const pages = readdirSync(folder).map((name) => join(folder, name));
    const read = execFileSync("zbarimg", ["--quiet", "--raw", ...pages], { encoding: "utf8" });
    return read.split("\n").filter((line) => line !== "");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const complaints = [];

// A page whose complaints are kept. Following a link ends the stream of news of the page before, which is no failure.
async function open(browser, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on("console", (message) => {
    const expected = expecting && /status of 4\d\d/.test(message.text());
    if (message.type() === "error" && !expected) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`script: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(INTERNAL)) complaints.push(`asked ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    const why = request.failure().errorText;
    if (why !== "net::ERR_ABORTED") complaints.push(`${request.url()} failed: ${why}`);
  });
  return page;
}

// Whether the next answer is to be a refusal, which the browser writes to its console.
let expecting = false;
async function refused(action) {
  expecting = true;
  await action();
  expecting = false;
}

let pictures = 0;
async function look(page, title) {
  const name = `${String(++pictures).padStart(2, "0")}-${title.replace(/[^a-z0-9]+/gi, "-")}.png`;
  await page.screenshot({ path: `${SCREENSHOTS}/${name}`, fullPage: true });
  // The pages' policy lets no script in, axe neither: it is evaluated by the debugger.
  await page.evaluate(`${AXE};0`);
  const found = await page.evaluate(() => axe.run().then((result) => result.violations));
  for (const { id, impact, nodes } of found.filter(({ impact }) => ["serious", "critical"].includes(impact))) {
    complaints.push(`axe: ${title}: ${id} (${impact}): ${nodes.map((node) => node.html).join(" ")}`);
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth + 1);
  if (wide) complaints.push(`${title} is wider than its window`);
}

async function signIn(page, id, secret) {
  await refused(() => page.goto(`${INTERNAL}/console`));
  await page.getByLabel("Client id").fill(id);
  await page.getByLabel("Client secret").fill(secret);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
}

const step = (title) => console.log(`console: ${title}`);
const button = (page, name) => page.getByRole("button", { name, exact: true });
const link = (page, name) => page.getByRole("link", { name, exact: true });
const go = (page, path) => page.goto(`${INTERNAL}/console${path}`);

// Waits for a text without loading the page again: it is told that something moved.
async function live(page, text) {
  await page.locator("h1 .state", { hasText: text }).waitFor();
}

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"],
});
const page = await open(browser, { viewport: { width: 1280, height: 900 }, acceptDownloads: true });

// What was to be seen when something was not as expected.
process.on("uncaughtException", async (error) => {
  console.error(error);
  console.error(complaints);
  for (const [at, left] of browser.contexts().flatMap((context) => context.pages()).entries()) {
    await left.screenshot({ path: `${SCREENSHOTS}/failed-${at}.png`, fullPage: true });
    console.error(`${left.url()}: ${(await left.locator("main").innerText()).slice(0, 2_000)}`);
  }
  process.exit(1);
});

step("sign in");
await refused(() => page.goto(`${INTERNAL}/console`));
await look(page, "sign in");
await page.getByLabel("Client id").fill(CLIENT_ID);
await page.getByLabel("Client secret").fill("gws_wrong");
await refused(() => button(page, "Sign in").click().then(() => page.getByRole("alert").waitFor()));
await signIn(page, CLIENT_ID, CLIENT_SECRET);
const cookie = (await page.context().cookies()).find(({ name }) => name === "__Host-gateway-console");
assert.ok(cookie.httpOnly && cookie.secure && cookie.sameSite === "Strict");

step("configure a workspace");
await link(page, "Workspaces").click();
await look(page, "workspaces");
await page.getByRole("link", { name: "Console house", exact: true }).click();
await page.getByLabel("E-mail").fill("invoices@example.com");
const zone = await page.getByLabel("Time zone").inputValue();
await page.getByLabel("Time zone").fill("Mars/Olympus");
await refused(() => button(page, "Save").click().then(() => page.locator(".problem").first().waitFor()));
assert.equal(await page.getByLabel("E-mail").inputValue(), "invoices@example.com", "what was typed stays");
await page.getByLabel("Time zone").fill(zone);
await page.getByLabel("Country of the address").fill("ES");
await page.getByLabel("Street").fill("Calle Mayor 1");
await page.getByLabel("Town").fill("Madrid");
await page.getByLabel("Postcode").fill("28013");
await button(page, "Save").click();
await page.getByText("Saved.").waitFor();
await look(page, "workspace");
const logo = page.locator("input[name=logo]");
await logo.setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: Buffer.alloc(300_000) });
await button(page, "Upload").click();
await page.getByText("The file has more than 256 KiB: choose a smaller one.").waitFor();
await logo.setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: Buffer.from("no picture") });
await refused(() => button(page, "Upload").click().then(() => page.getByText("no PNG that can be read").waitFor()));
await page.locator("main").getByRole("link", { name: /^E-invoicing/ }).click();
await page.getByLabel("Company at the provider (UUID)").fill("no uuid");
await page.getByLabel("Workflow at the provider (UUID)").fill(ID);
await page.getByLabel("Token of the provider").fill("token-of-the-provider");
await refused(() => button(page, "Save").click().then(() => page.getByText("Company at the provider – is no UUID").waitFor()));
await page.getByText("Type the token again").waitFor();
await page.getByLabel("Token of the provider").fill("token-of-the-provider");
await button(page, "Test connection").click();
await page.getByText("With the token that was typed: the provider answered and takes the token").waitFor();
assert.equal(await page.getByLabel("Company at the provider (UUID)").inputValue(), "no uuid", "what was typed stays");
assert.ok(!(await page.content()).includes("token-of-the-provider"));
await look(page, "token that was tried");
await page.getByLabel("Company at the provider (UUID)").fill(ID);
await page.getByLabel("Token of the provider").fill("token-of-the-provider");
await button(page, "Save").click();
await page.getByText("A token is stored").waitFor();
assert.ok(!(await page.content()).includes("token-of-the-provider"));
await button(page, "Test connection").click();
await page.getByText("the provider answered and takes the token").waitFor();
await look(page, "e-invoicing");

step("follow an invoice to accepted");
const accepted = await draft("Jane Roe");
await go(page, `/invoices/${accepted}`);
await look(page, "draft");
await link(page, "Dry run").click();
await page.getByText("It goes to the tax authority of its workspace.").waitFor();
await look(page, "dry run");
await link(page, "Back").click();
await link(page, "Issue").click();
await look(page, "issue");
await button(page, "Issue").click();
await live(page, "issued");
await page.getByRole("heading", { name: "Proof of the authority" }).waitFor();
assert.ok((await page.locator("img.qr").evaluate((image) => image.naturalWidth)) > 0);
await page.getByText("Structured document").click();
await page.getByText("Record of the authority").click();
await look(page, "invoice");
// A link while the renderer is prepared, and a choice of languages with a button from then on.
const file = link(page, "PDF").or(button(page, "PDF"));
const [download] = await Promise.all([page.waitForEvent("download"), file.click()]);
assert.match(download.suggestedFilename(), /^F-.*\.pdf$/);
assert.equal(readFileSync(await download.path()).subarray(0, 5).toString(), "%PDF-");
copyFileSync(await download.path(), `${SCREENSHOTS}/invoice.pdf`);
const shown = await call("GET", `/invoicing/rpc/documents/${accepted}`);
assert.deepEqual(codes(`${SCREENSHOTS}/invoice.pdf`), [shown.acceptance.qr_url], "the code on paper is the authority's address");
await link(page, "View").click();
await page.getByRole("heading", { name: "Expedida por" }).waitFor();
await look(page, "view");
await link(page, "en").click();
await page.getByRole("heading", { name: "Issued by" }).waitFor();
await look(page, "view in English");
await link(page, "Back to the invoice").click();
await page.getByLabel("Language").selectOption("en");
const [english] = await Promise.all([page.waitForEvent("download"), button(page, "PDF").click()]);
assert.equal(readFileSync(await english.path()).subarray(0, 5).toString(), "%PDF-");
for (const name of ["structured", "record"]) {
  await page.locator(`#${name} summary`).click();
  const [part] = await Promise.all([page.waitForEvent("download"), page.locator(`#${name} a`).click()]);
  assert.ok(readFileSync(await part.path()).length > 100, name);
}

step("credit and reverse");
await link(page, "Credit").click();
await look(page, "credit");
await button(page, "Credit").click();
await page.getByText("Credit note of").waitFor();
await look(page, "credit note");
await link(page, "Delete draft").click();
await button(page, "Delete draft").click();
await page.waitForURL("**/console/invoices");
await go(page, `/invoices/${accepted}`);
await link(page, "Reverse").click();
await look(page, "reverse");
await button(page, "Reverse").click();
await live(page, "issued");

step("mend and resubmit a rejected invoice");
const rejected = [];
for (const name of ["Rita SANDBOX-REJECT-1239", "Rob SANDBOX-REJECT-1239", "Ruth SANDBOX-REJECT-1239"]) {
  rejected.push(await draft(name));
  await call("POST", `/finance/rpc/documents/${rejected.at(-1)}/commands/issue`, {});
}
await go(page, `/invoices/${rejected[0]}`);
await live(page, "rejected");
await look(page, "rejected invoice");
await link(page, "Edit recipient").click();
await page.getByLabel("Name").fill("Rita Roe");
await look(page, "edit recipient");
await button(page, "Edit recipient").click();
await page.getByText("Rita Roe (person)").waitFor();
await link(page, "Resubmit").click();
await button(page, "Resubmit").click();
await live(page, "issued");

step("a queue that others add to while a box is ticked");
const watcher = await page.context().newPage();
await watcher.goto(`${INTERNAL}/console/rejected`);
const box = watcher.locator(`#box-${rejected[1]}`);
await box.check();
// Whoever moved the table sideways and stands in it stays there, though neither has an id.
const table = watcher.locator(".scroll");
await watcher.setViewportSize({ width: 320, height: 640 });
await table.focus();
const offset = await table.evaluate((box) => ((box.scrollLeft = 30), box.scrollLeft));
rejected.push(await draft("Roy SANDBOX-REJECT-1239"));
await call("POST", `/finance/rpc/documents/${rejected.at(-1)}/commands/issue`, {});
await watcher.locator(`#box-${rejected.at(-1)}`).waitFor();
assert.ok(await box.isChecked(), "what was ticked stays ticked");
await watcher.locator(".scroll:focus").waitFor();
assert.equal(await table.evaluate((box) => box.scrollLeft), offset, "a table stays where it was moved to");
assert.ok(!(await watcher.locator(`#box-${rejected.at(-1)}`).isChecked()));
await watcher.close();

step("a document whose state changes while somebody listens to its page");
const heard = await draft("Hanna Roe");
const listener = await page.context().newPage();
await listener.goto(`${INTERNAL}/console/invoices/${heard}`);
await call("POST", `/finance/rpc/documents/${heard}/commands/issue`, {});
await listener.locator("[data-live] > [role=status]", { hasText: ": issued" }).waitFor({ state: "attached" });
await listener.close();

step("resubmit many");
for (const id of rejected.slice(1)) await call("POST", `/finance/rpc/documents/${id}/commands/update_recipient`, {
  recipient: { type: "individual", name: "Rob Roe", identity_document: { type: "passport", number: "123456789", country: "GB" } },
});
await link(page, "Rejected").click();
await page.getByRole("checkbox").nth(2).waitFor();
await page.getByLabel("Workspace").selectOption(WORKSPACE);
await button(page, "Show").click();
await button(page, "Resubmit all of this list").click();
await page.getByRole("heading", { name: "Resubmit: 3 documents" }).waitFor();
await link(page, "Cancel").click();
await page.waitForURL(`**/rejected?workspace_id=${WORKSPACE}`);
for (const box of await page.getByRole("checkbox").all()) await box.check();
await look(page, "rejected");
await button(page, "Resubmit the ticked ones").click();
await page.getByRole("heading", { name: "Resubmit: 3 documents" }).waitFor();
await look(page, "bulk");
await button(page, "Resubmit").click();
await page.getByText("done").nth(2).waitFor();
await look(page, "bulk outcome");

step("a submission that waits for somebody");
const failing = [];
for (const name of ["Fay SANDBOX-FAIL-9", "Flo SANDBOX-FAIL-9"]) {
  failing.push(await draft(name));
  await call("POST", `/finance/rpc/documents/${failing.at(-1)}/commands/issue`, {});
}
await go(page, "/");
await page.getByRole("cell", { name: "retriesExhausted" }).nth(1).waitFor();
await page.locator("figure svg text").first().waitFor();
await look(page, "overview with alerts");
await go(page, "?range=30d");
await page.getByRole("img", { name: /, over 30 days from / }).first().waitFor();
await link(page, "Jobs and alerts").first().click();
await look(page, "jobs");
await page.getByLabel("Retry all of a workspace").selectOption({ label: "Console house" });
await button(page, "Retry all of it").click();
await page.getByRole("heading", { name: "Retry: 2 documents" }).waitFor();
await link(page, "Cancel").click();
for (const box of await page.getByRole("checkbox").all()) await box.check();
await button(page, "Retry the ticked ones").click();
await button(page, "Retry").click();
await page.getByText("done").nth(1).waitFor();
await go(page, `/invoices/${failing[0]}`);
await link(page, "Retry").click();
await button(page, "Retry").click();
await page.getByRole("heading", { name: "Submission" }).waitFor();
await link(page, "Rejected, by hand").click();
await page.getByLabel("Reason").fill("given up");
await look(page, "verdict by hand");
await button(page, "Rejected, by hand").click();
await live(page, "rejected");
await go(page, `/invoices/${failing[1]}`);
await link(page, "Accepted, by hand").click();
await page.getByLabel("Address to verify it at").fill("https://verify.example/1");
await page.getByLabel("Hash of the record").fill("ABC");
await button(page, "Accepted, by hand").click();
await live(page, "issued");

step("what the authority says after a verdict by hand");
async function waiting(name) {
  const id = await draft(name);
  await call("POST", `/finance/rpc/documents/${id}/commands/issue`, {});
  await go(page, `/invoices/${id}`);
  await page.getByRole("definition").filter({ hasText: /^waiting$/ }).waitFor();
  return id;
}
const late = await waiting("Ella SANDBOX-SLOW-5");
await link(page, "Rejected, by hand").click();
await page.getByLabel("Reason").fill("the provider is silent");
await button(page, "Rejected, by hand").click();
await live(page, "rejected");
await page.getByText("acceptedAfterAll").first().waitFor();
await link(page, "Not held under an earlier number").click();
await look(page, "rejected earlier");
const unheld = button(page, "Not held under an earlier number");
await refused(() => unheld.click().then(() => page.getByText("was accepted by").first().waitFor()));
await go(page, `/invoices/${late}`);
await link(page, "Accepted under an earlier number").click();
await look(page, "accepted earlier");
await button(page, "Accepted under an earlier number").click();
await live(page, "issued");
const read = await waiting("Otto SANDBOX-SLOW-5 SANDBOX-REJECT-1239");
await link(page, "Accepted, by hand").click();
await page.getByLabel("Address to verify it at").fill("https://verify.example/1");
await page.getByLabel("Hash of the record").fill("ABC");
await button(page, "Accepted, by hand").click();
await live(page, "issued");
await page.getByText("rejectedAfterAll").first().waitFor();
await link(page, "Mark alert as read").click();
await look(page, "alert to read");
await button(page, "Mark alert as read").click();
await page.waitForURL(`**/invoices/${read}`);
assert.ok(!(await page.content()).includes("rejectedAfterAll"));

step("lists");
await go(page, "/invoices?first=5");
const begin = await page.locator("tbody a").allInnerTexts();
await link(page, "Next page").click();
await link(page, "Previous page").waitFor();
await look(page, "second page");
assert.notDeepEqual(await page.locator("tbody a").allInnerTexts(), begin);
await link(page, "Previous page").click();
await link(page, "Previous page").waitFor({ state: "detached" });
assert.deepEqual(await page.locator("tbody a").allInnerTexts(), begin);
await go(page, "/invoices");
await page.getByLabel("Number, recipient or booking").fill("rita");
await button(page, "Search").click();
await page.getByRole("cell", { name: "Rita Roe" }).waitFor();
assert.match(page.url(), /q=rita/);
await look(page, "invoices");
const [csv] = await Promise.all([page.waitForEvent("download"), link(page, "CSV").click()]);
assert.match(readFileSync(await csv.path(), "utf8"), /Rita Roe/);
const [lines] = await Promise.all([page.waitForEvent("download"), link(page, "NDJSON").click()]);
assert.equal(JSON.parse(readFileSync(await lines.path(), "utf8").split("\n")[0]).recipient.name, "Rita Roe");

step("reports");
await link(page, "Reports").click();
await page.getByLabel("Workspace").selectOption(WORKSPACE);
await page.getByLabel("Totals by").selectOption("rate");
await button(page, "Add up").click();
await page.getByRole("cell", { name: "VAT 10.0 %" }).first().waitFor();
await look(page, "reports");

step("plugins: upload, canary, activate, roll back");
await go(page, "/plugins");
await page.getByLabel(/^Signature/).fill("");
await page.getByLabel("Component (.wasm)").setInputFiles(COMPONENT);
await button(page, "Install").click();
const tile = page.locator("article", { hasText: "es-tbai@" });
await tile.waitFor();
await look(page, "plugins");
await tile.getByRole("combobox", { name: /^For/ }).first().selectOption({ label: "Console house" });
await tile.getByRole("button", { name: "Check and activate" }).click();
await page.getByText("nothing changed yet").waitFor();
await look(page, "check only");
await page.getByRole("button", { name: /^Activate for workspace/ }).click();
await page.getByText("It serves workspace").waitFor();
await look(page, "canary");
await link(page, "To the plugins").click();
await tile.getByRole("combobox", { name: /^For/ }).first().selectOption({ label: "everybody" });
await tile.getByRole("button", { name: "Check and activate" }).click();
await button(page, "Activate for everybody").click();
await page.getByText("It serves everybody").waitFor();
await link(page, "To the plugins").click();
await tile.locator("summary", { hasText: "Take out of force" }).click();
await tile.getByRole("combobox", { name: /^For/ }).nth(1).selectOption({ label: "everybody" });
await tile.getByRole("button", { name: "Take out of force" }).click();
const confirmed = button(page, "Take out of force for everybody");
await confirmed.waitFor();
await look(page, "out of force");
await confirmed.click();
await page.getByText("The plugin is out of force there.").waitFor();
const inForce = page.locator("article", { hasText: "es-verifactu@" });
await inForce.getByRole("combobox", { name: /^For/ }).first().selectOption({ label: "everybody" });
await inForce.getByRole("button", { name: "Check and activate" }).click();
await page.getByText("This version is in force already").waitFor();
await look(page, "activation check");

await link(page, "To the plugins").click();
await inForce.locator("summary", { hasText: "Take out of force" }).click();
const before = inForce.getByRole("button", { name: "Return to the version before" });
assert.equal(await before.count(), 0, "there is no version before");
await go(page, "");

step("clients");
await link(page, "Clients").click();
await page.getByLabel("Name").fill("integrator");
await page.getByLabel(/^Workspaces/).fill("*");
await page.getByLabel("invoicing.rpc").check();
await button(page, "Create").click();
assert.match(await page.locator("#client-secret").innerText(), /^gws_/);
await link(page, "To the client").click();
await page.getByLabel("finance.rpc").check();
await button(page, "Save").click();
await page.getByText("Saved.").waitFor();
await look(page, "client");
await page.getByText("Give it another secret").first().click();
await button(page, "Give it another secret").click();
await link(page, "To the client").click();
await page.getByText("Disable").first().click();
await button(page, "Disable").click();
await button(page, "Enable").click();
await button(page, "Save").waitFor();
await link(page, "Clients").click();
await look(page, "clients");

step("keys, webhooks, audit, health");
await link(page, "Keys").click();
await page.getByText("Rotate").first().click();
await button(page, "Rotate").click();
await page.getByText("is published and signs from").waitFor();
await look(page, "keys");
await link(page, "Webhooks").click();
await look(page, "webhooks");
await page.locator("table a").first().click();
await button(page, "Send a test").click();
await page.getByRole("cell", { name: "ping" }).or(page.locator("tbody tr")).first().waitFor();
// It arrives, and the page says so by itself; what is open stays open.
await page.locator("#disable").click();
await page.locator("tbody .state.delivered").first().waitFor();
await page.locator("#confirm-disable").waitFor();
await page.locator("#disable").click();
await page.locator("tbody button").first().click();
await page.getByText("Disable").first().click();
await button(page, "Disable").click();
await button(page, "Enable").click();
await button(page, "Send a test").waitFor();
await look(page, "webhook");
await link(page, "Audit").click();
await page.getByLabel(/^Object/).fill("client:");
await button(page, "Search").click();
await page.getByRole("cell", { name: "client.rotate_secret" }).first().waitFor();
await look(page, "audit");
await link(page, "Health").click();
await look(page, "health");
await refused(() => go(page, "/nothing"));
await look(page, "no such page");

step("a phone in the dark");
const phone = await open(browser, {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  colorScheme: "dark",
});
await signIn(phone, READER_ID, READER_SECRET);
for (const path of ["", "/invoices", `/invoices/${accepted}`, "/rejected", "/reports", "/jobs", "/workspaces", `/workspaces/${WORKSPACE}`,
  `/workspaces/${WORKSPACE}/e-invoicing`, "/plugins", "/webhooks", "/clients", "/keys", "/audit", "/health"]) {
  await go(phone, path);
  await look(phone, `phone ${path}`);
  // Whoever only reads is offered nothing else.
  const forms = await phone.locator('form[method="post"] button:not([disabled])').allInnerTexts();
  assert.deepEqual(forms.filter((name) => name !== "Sign out"), [], path);
}

step("every form on a phone in the dark");
const hand = await open(browser, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: "dark" });
await signIn(hand, CLIENT_ID, CLIENT_SECRET);
const left = await draft("Dora Roe");
const paths = ["issue", "dry-run", "recipient", "delete"].map((action) => `/invoices/${left}/${action}`);
paths.push(`/invoices/${accepted}/credit`, `/invoices/${accepted}/reverse`, `/invoices/${accepted}/view`, "/plugins", "/clients");
paths.push("/keys", "/webhooks", "/jobs", "/rejected", `/workspaces/${WORKSPACE}`, `/workspaces/${WORKSPACE}/e-invoicing`);
for (const path of paths) {
  await go(hand, path);
  await look(hand, `phone form ${path.replace(left, "draft").replace(accepted, "invoice")}`);
}
// The address of a form alone leads to its page.
await go(hand, "/plugins/activate");
assert.match(hand.url(), /\/console\/plugins$/);

step("without scripts, by keyboard");
const plain = await open(browser, { javaScriptEnabled: false });
await refused(() => plain.goto(`${INTERNAL}/console/invoices`));
await plain.getByLabel("Client id").fill(READER_ID);
await plain.keyboard.press("Tab");
await plain.keyboard.type(READER_SECRET);
await plain.keyboard.press("Enter");
await plain.getByRole("heading", { name: "Invoices" }).waitFor();
assert.ok((await plain.locator("tbody tr").count()) > 5);
await plain.goto(`${INTERNAL}/console/invoices?first=3`);
await link(plain, "Next page").click();
await link(plain, "First page").click();
await link(plain, "Next page").click();
await link(plain, "Previous page").click();
await link(plain, "Previous page").waitFor({ state: "detached" });
await plain.keyboard.press("Tab");
assert.equal(await plain.evaluate("document.activeElement.textContent").catch(() => "To the content"), "To the content");

step("stop e-invoicing of a workspace");
await go(page, `/workspaces/${WORKSPACE}/e-invoicing`);
await page.getByText("Stop e-invoicing").first().click();
await look(page, "stop e-invoicing");
await button(page, "Stop e-invoicing").click();
await page.getByText("E-invoicing has stopped").waitFor();
await look(page, "e-invoicing stopped");

step("a session that ends behind a page");
const other = await page.context().newPage();
await other.goto(`${INTERNAL}/console/rejected`);
await go(page, "");
await refused(async () => {
  await button(page, "Sign out").click();
  await page.getByLabel("Client id").waitFor();
  await go(page, "/invoices");
  await page.getByLabel("Client secret").waitFor();
  // The other page learns of it with the next news, and leads back.
  await draft("Nora Roe");
  await other.getByLabel("Client id").waitFor();
});
await other.getByLabel("Client id").fill(READER_ID);
await other.getByLabel("Client secret").fill(READER_SECRET);
await button(other, "Sign in").click();
await other.getByRole("heading", { name: "Rejected documents" }).waitFor();

await browser.close();
receiver.close();
assert.deepEqual(complaints, []);
console.log(`console: every page and action, ${pictures} pictures in ${SCREENSHOTS}`);
