// Composition with a subgraph of somebody else, and one query over both behind two independent gateways.

import { ApolloGateway, LocalGraphQLDataSource, RemoteGraphQLDataSource } from "@apollo/gateway";
import { composeServices } from "@apollo/composition";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { getStitchedSchemaFromSupergraphSdl } from "@graphql-tools/federation";
import { execute, parse, print } from "graphql";
import { endpoint, ensure, run, sdl, token } from "./gateway.js";

const bearer = await token();

// Somebody else knows the ratings of product groups and of units.
const ratings = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type CatalogProductGroup @key(fields: "id") { id: ID! stars: Int! }
  type Query { best: [CatalogProductGroup!]! }
`);

// The name of the type is the gateway's own.
const found = await run(
  bearer,
  "{ catalog { productGroups(first: 2) { nodes { __typename id internalReference } } } }",
);
const [group] = found.catalog.productGroups.nodes;
ensure(group, "there is no product group to ask for");
const named = parse(print(ratings).replaceAll("CatalogProductGroup", group.__typename));
const resolvers = {
  [group.__typename]: {
    __resolveReference: ({ id }) => ({ id }),
    stars: ({ id }) => [...id].length % 6,
  },
  Query: { best: () => [{ id: group.id }] },
};
const other = buildSubgraphSchema({ typeDefs: named, resolvers });

const composed = composeServices([
  { name: "platform", url: endpoint, typeDefs: parse(await sdl(bearer)) },
  { name: "ratings", url: "http://ratings.invalid", typeDefs: named },
]);
ensure(!composed.errors, `no composition: ${composed.errors?.map((error) => error.message).join("; ")}`);
const { supergraphSdl } = composed;

const query = parse(`{
  best { id stars internalReference publishing { state } }
  catalog { productGroups(first: 2) { nodes { id stars internalReference } totalCount } }
}`);
const stars = [...group.id].length % 6;

function check(gateway, { data, errors }) {
  ensure(!errors, `${gateway}: ${JSON.stringify(errors)}`);
  const [best] = data.best;
  ensure(best.stars === stars && best.internalReference === group.internalReference, `${gateway}: ${JSON.stringify(best)}`);
  const [first] = data.catalog.productGroups.nodes;
  ensure(first.id === group.id && first.stars === stars, `${gateway}: ${JSON.stringify(first)}`);
  console.log(`${gateway}: one query over two subgraphs answered`);
}

// 1. Apollo Gateway.
const authorization = `Bearer ${bearer}`;
const gateway = new ApolloGateway({
  supergraphSdl,
  buildService: ({ name, url }) =>
    name === "ratings"
      ? new LocalGraphQLDataSource(other)
      : new RemoteGraphQLDataSource({
          url,
          willSendRequest: ({ request }) => request.http.headers.set("authorization", authorization),
        }),
  logger: { debug() {}, info() {}, warn: console.warn, error: console.error },
});
const { schema, executor } = await gateway.load();
check(
  "@apollo/gateway",
  await executor({
    document: query,
    queryHash: "one",
    schema,
    request: { query: print(query) },
    context: {},
    cache: { get: async () => undefined, set: async () => {}, delete: async () => {} },
    logger: console,
    metrics: {},
    overallCachePolicy: { restrict() {}, policyIfCacheable: () => null },
  }),
);
await gateway.stop();

// 2. GraphQL Tools.
const stitched = getStitchedSchemaFromSupergraphSdl({
  supergraphSdl,
  onSubschemaConfig(subgraph) {
    subgraph.executor =
      subgraph.name.toLowerCase() === "ratings"
        ? ({ document, variables }) => execute({ schema: other, document, variableValues: variables })
        : async ({ document, variables }) => {
            const answer = await fetch(endpoint, {
              method: "POST",
              headers: { "content-type": "application/json", authorization },
              body: JSON.stringify({ query: print(document), variables }),
            });
            return answer.json();
          };
  },
});
check("@graphql-tools/federation", await execute({ schema: stitched, document: query }));
