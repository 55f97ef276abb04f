// A server of as many processes as the machine has cores, as the gateway uses all of them from one process.

import cluster from "node:cluster";
import { availableParallelism } from "node:os";

/**
 * Prints the address of the server once all its processes listen. `shared` makes what they have in common, as text;
 * `listen` is called with it in each of them, and listens on a port that is the same for all.
 */
export async function serve(listen, shared = () => "") {
  if (cluster.isWorker) return listen(process.env.PEER_SHARED);
  const count = availableParallelism();
  // What the processes have to say goes to the log: the first line of the output is the address.
  cluster.setupPrimary({ stdio: ["ignore", 2, 2, "ipc"] });
  let listening = 0;
  cluster.on("listening", (_, { port }) => {
    listening += 1;
    if (listening === count) console.log(`http://127.0.0.1:${port}`);
  });
  cluster.on("exit", (_, code, signal) => {
    console.error(`a process of the server ended: ${signal ?? code}`);
    process.exit(1);
  });
  // Whoever started it holds its input open.
  process.stdin.resume().on("end", () => process.exit(0));
  const environment = { PEER_SHARED: await shared() };
  for (let started = 0; started < count; started += 1) cluster.fork(environment);
}

/** What the environment must say. */
export function required(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run this through 'cargo xtask bench'`);
  return value;
}
