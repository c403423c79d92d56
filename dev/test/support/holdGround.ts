// Starts a database and a chain in the folder of the first argument, prints their pids, and waits to be killed.
import { startChain } from "../../src/chain/startChain.ts";
import { startPostgres } from "../../src/postgres/startPostgres.ts";

const dir = process.argv[2] as string;
const postgres = await startPostgres({ dir, durable: false });
const chain = await startChain({ dir });
process.stdout.write(`${JSON.stringify([postgres.child.pid, chain.child.pid])}\n`);
setInterval(() => undefined, 1_000);
