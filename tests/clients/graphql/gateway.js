// The gateway under test: its address and a client of it come from the environment.

const required = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run this through 'cargo xtask test --suites'`);
  return value;
};

export const base = required("GATEWAY_URL");
export const endpoint = `${base}/v1`;

/** A fresh access token, by client credentials. */
export async function token() {
  const answer = await fetch(`${base}/v1/oauth2/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      grant_type: "client_credentials",
      client_id: required("GATEWAY_CLIENT_ID"),
      client_secret: required("GATEWAY_CLIENT_SECRET"),
    }),
  });
  if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${await answer.text()}`);
  return (await answer.json()).access_token;
}

/** Runs an operation and fails on any error. */
export async function run(bearer, query, variables) {
  const answer = await fetch(endpoint, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await answer.json();
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** What the gateway says of itself as a subgraph. */
export async function sdl(bearer) {
  const data = await run(bearer, "{ _service { sdl } }");
  return data._service.sdl;
}

/** Fails with a sentence. */
export function ensure(holds, sentence) {
  if (!holds) throw new Error(sentence);
}
