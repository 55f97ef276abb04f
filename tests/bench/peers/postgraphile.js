// Product groups over PostGraphile: the schema that it makes of the database by itself.

import { createServer } from "node:http";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { checker } from "./tokens.js";
import { required, serve } from "./workers.js";

// Node 20 runs it but for this one function of a later one.
Promise.withResolvers ??= function withResolvers() {
  let settle;
  const promise = new this((resolve, reject) => (settle = { resolve, reject }));
  return { promise, ...settle };
};

await serve(async () => {
  const check = await checker();
  const server = createServer();
  const instance = postgraphile({
    extends: [PostGraphileAmberPreset],
    pgServices: [makePgService({ connectionString: required("PEER_POSTGRES"), schemas: ["public"] })],
    grafserv: { graphqlPath: "/graphql", graphiql: false, watch: false },
    grafast: {
      context: ({ node }) => ({ caller: check(node?.req.headers.authorization) }),
      explain: false,
    },
  });
  const serv = instance.createServ(grafserv);
  await serv.addTo(server);
  await serv.ready();
  server.listen({ host: "127.0.0.1", port: 0 });
});
