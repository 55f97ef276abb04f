// A typed client, generated from the published schema: it compiles, and its answers have the types it promises.

import { createClient } from "./generated/index.js";
import { base, ensure, token } from "./gateway.js";

const client = createClient({
  url: `${base}/v1`,
  headers: { authorization: `Bearer ${await token()}` },
});

const { catalog } = await client.query({
  catalog: {
    productGroups: {
      __args: { filters: { state: "ACTIVE" }, first: 3 },
      nodes: {
        id: true,
        internalReference: true,
        workspaceId: true,
        academicYear: true,
        publishing: { startDate: true, endDate: true, state: true },
        products: { __args: { first: 1 }, totalCount: true },
      },
      totalCount: true,
      pageInfo: { hasNextPage: true, endCursor: true },
    },
  },
});
const groups = catalog?.productGroups;
ensure(groups && groups.nodes.length > 0, "there is no active product group");
for (const group of groups?.nodes ?? []) {
  const workspace: number = group.workspaceId;
  const state: "SCHEDULED" | "ONGOING" | "FINISHED" = group.publishing.state;
  ensure(Number.isInteger(workspace) && state.length > 0, `${group.id} has no workspace or state`);
}

const { authIdentity } = await client.query({ authIdentity: { whoami: { uuid: true, name: true } } });
ensure(authIdentity?.whoami?.uuid, "nobody knows who we are");
console.log(`${groups?.nodes.length} of ${groups?.totalCount} product groups read by a typed client`);
