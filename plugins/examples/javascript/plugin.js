// A tax regime in JavaScript, built by build.sh from the contract in wit/v1.
//
// `regime` is what the world `tax-regime` asks for. A plugin is a pure function: no clock, no files, no network, no
// randomness. The figures come with the invoice; they are mapped, never added up. An amount's `units` may arrive as a
// number or as a BigInt: `BigInt(units)` takes both.

const STAMP_QR = "xx-demo-qr";
// What the provider calls the authority. Its steps have the name as their first part: `xx-demo.send`.
const AUTHORITY = ["xx-demo", "xx-demo-js"];
const IDENTITY_KEYS = {
  "passport": "passport",
  "id-card": "national",
  "foreign-national-id": "national",
  "spanish-resident-permit": "resident",
};

export const regime = {
  describe() {
    return {
      key: "xx-demo-js",
      title: "Demonstration in JavaScript",
      country: "XX",
      taxSystem: "XX-DEMO",
      version: "0.1.0",
      kinds: ["invoice", "simplified-invoice", "credit-note"],
      categories: [{ key: "VAT", title: "Value added tax", rates: [] }],
      exemptions: [],
      retentions: [],
      rounding: "precise",
      settingsSchema: '{"type":"object","additionalProperties":false}',
      requiredWorkspaceFields: ["legal-name", "tax-id", "country"],
      ext: [],
    };
  },

  check(invoice, _context) {
    const faults = [];
    if (invoice.kind === "debit-note" || invoice.kind === "replacement-invoice") {
      const message = "This tax system takes invoices and credit notes only; make one of these.";
      faults.push(error("XX-DEMO-KIND-01", "/document_type", message));
    }
    const recipient = invoice.recipient;
    if (recipient?.tag === "company" && !(recipient.val.taxNumber && recipient.val.country)) {
      faults.push(companyWithoutTaxNumber());
    }
    if (recipient?.tag === "individual" && !recipient.val.identityDocument) {
      faults.push(personWithoutDocument());
    }
    invoice.lines.forEach((line, index) => {
      if (line.tax.surcharge) {
        const message = "There is no surcharge in this tax system; remove it from the line.";
        faults.push(error("XX-DEMO-TAX-01", `/lines/${index}/tax/surcharge`, message));
      }
    });
    return faults;
  },

  convert(invoice, context) {
    refuse(regime.check(invoice, context));
    const body = JSON.stringify(document(invoice, context));
    return { mediaType: "application/json", body, payable: invoice.totals.payable };
  },

  mapIdentity(recipient) {
    const party = recipient.val;
    if (recipient.tag === "company") {
      if (!(party.taxNumber && party.country)) refuse([companyWithoutTaxNumber()]);
      return { tag: "tax-id", val: { country: party.country, code: party.taxNumber } };
    }
    const known = party.identityDocument;
    if (!known) refuse([personWithoutDocument()]);
    const typeKey = IDENTITY_KEYS[known.kind] ?? "other";
    return { tag: "other", val: { country: known.country ?? "", code: known.number, typeKey, typeCode: "" } };
  },

  interpret(outcome) {
    const complaints = outcome.faults.filter(isOfAuthority);
    const others = outcome.faults.filter((fault) => !isOfAuthority(fault));
    if (complaints.length > 0) {
      const paths = (fault) => (fault.paths.length > 0 ? fault.paths : [""]);
      const faults = complaints.flatMap((fault) =>
        paths(fault).map((path) => error(fault.code || "AUTHORITY", path, reason(fault))),
      );
      const [first] = complaints;
      return { tag: "rejected", val: { code: first.code, reason: reason(first), faults } };
    }
    const stamp = outcome.stamps.find((stamp) => stamp.provider === STAMP_QR);
    if (outcome.succeeded && stamp) {
      const warnings = others.map((fault) => ({ code: fault.code || fault.provider, message: failure(fault) }));
      return { tag: "accepted", val: { qrUrl: stamp.value, taxSystemHash: undefined, warnings } };
    }
    // The gateway adds what to do.
    if (others.length > 0) return { tag: "undecided", val: failure(others[0]) };
    const why = outcome.succeeded
      ? "The provider reports success but no verification address"
      : "The provider's job failed without saying why";
    return { tag: "undecided", val: why };
  },
};

// Only the authority rejects. A fault that names nobody is taken for its own.
function isOfAuthority(fault) {
  const app = (fault.provider ?? "").toLowerCase().split(".")[0];
  return !app || AUTHORITY.includes(app);
}

// The error side of a `result` is what is thrown. An empty list would be a defect of the plugin.
function refuse(faults) {
  if (faults.length > 0) throw Object.assign(new Error("refused"), { payload: faults });
}

function error(code, path, message) {
  return { code, path, message, severity: "error" };
}

function companyWithoutTaxNumber() {
  const message = "A company needs a country and a tax number; add both to the recipient.";
  return error("XX-DEMO-RECIPIENT-01", "/recipient/tax_number", message);
}

function personWithoutDocument() {
  const message = "A person needs an identity document; add it to the recipient.";
  return error("XX-DEMO-RECIPIENT-02", "/recipient/identity_document", message);
}

function reason(fault) {
  const message = fault.message ?? "The authority refused the document without a reason.";
  return fault.code ? `${message} (${fault.code})` : message;
}

function failure(fault) {
  const code = fault.code ? ` (${fault.code})` : "";
  return `The provider's step ${fault.provider} failed: ${fault.message ?? "it does not say why"}${code}`;
}

function document(invoice, context) {
  const included = invoice.pricesIncludeTax && invoice.lines.length > 0;
  return present({
    $schema: "https://gobl.org/draft-0/bill/invoice",
    uuid: invoice.uuid,
    type: kind(invoice.kind),
    code: invoice.number,
    issue_date: invoice.issueDate,
    op_date: invoice.operationDate,
    currency: invoice.currency,
    preceding: invoice.preceding.map((earlier) =>
      present({
        uuid: earlier.uuid,
        type: kind(earlier.kind),
        issue_date: earlier.issueDate,
        code: earlier.number,
        reason: earlier.reason,
      }),
    ),
    tax: included ? { prices_include: invoice.lines[0].tax.category } : null,
    supplier: supplier(context),
    customer: customer(invoice.recipient),
    lines: invoice.lines.map(line),
    totals: totals(invoice.totals),
    notes: invoice.notes ? [{ text: invoice.notes }] : null,
  });
}

function kind(of) {
  if (of === "credit-note") return "credit-note";
  return of === "debit-note" ? "debit-note" : "standard";
}

function supplier(context) {
  const own = context.supplier;
  return present({
    uuid: context.companyId,
    name: own.legalName,
    tax_id: { country: own.country, code: own.taxId },
    addresses: addresses(own.address),
  });
}

function customer(recipient) {
  if (!recipient) return null;
  const party = recipient.val;
  const company = recipient.tag === "company";
  const known = company ? null : party.identityDocument;
  const key = IDENTITY_KEYS[known?.kind] ?? "other";
  return present({
    name: party.name,
    tax_id: company ? present({ country: party.country, code: party.taxNumber }) : null,
    identities: known ? [present({ country: known.country, key, code: known.number })] : null,
    addresses: addresses(party.address),
    emails: party.email ? [{ addr: party.email }] : null,
  });
}

function addresses(of) {
  if (!of) return null;
  const { street, locality, region, postcode, country } = of;
  return [present({ street, locality, region, code: postcode, country })];
}

function line(of) {
  return {
    i: of.index,
    quantity: money(of.quantity),
    item: { name: of.description, price: money(of.unitPrice) },
    sum: money(of.sum),
    taxes: [present({ cat: of.tax.category, percent: percent(of.tax.rate) })],
    total: money(of.total),
  };
}

function totals(of) {
  const rate = (row) =>
    present({ base: money(row.base), percent: percent(row.rate), amount: money(row.amount) });
  const categories = of.categories.map((category) => ({
    code: category.category,
    rates: category.rates.map(rate),
    amount: money(category.amount),
  }));
  return present({
    sum: money(of.sum),
    tax_included: of.taxIncluded ? money(of.taxIncluded) : null,
    total: money(of.net),
    taxes: { categories, sum: money(of.tax) },
    tax: money(of.tax),
    total_with_tax: money(of.gross),
    payable: money(of.payable),
  });
}

// A decimal with all its decimals. No float ever touches it.
function money({ units, scale }) {
  const exact = BigInt(units);
  const sign = exact < 0n ? "-" : "";
  const digits = (exact < 0n ? -exact : exact).toString().padStart(scale + 1, "0");
  if (scale === 0) return sign + digits;
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

// `21.0%`: at least one decimal, and no needless ones.
function percent(rate) {
  if (!rate) return null;
  let units = BigInt(rate.units);
  let scale = rate.scale;
  while (scale > 1 && units % 10n === 0n) {
    units /= 10n;
    scale -= 1;
  }
  if (scale === 0) {
    units *= 10n;
    scale = 1;
  }
  return `${money({ units, scale })}%`;
}

// Without the members that are absent or empty.
function present(members) {
  const filled = ([, value]) => value != null && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(members).filter(filled));
}
