// Starts a database and a chain in the folder of the first argument, prints their pids, and runs until it is killed.
import { startChain } from "@slipway/dev/chain/startChain";
import { startPostgres } from "@slipway/dev/postgres/startPostgres";

const dir = process.argv[2] as string;
const postgres = await startPostgres({ dir, durable: false });
const chain = await startChain({ dir });
process.stdout.write(`${JSON.stringify([postgres.child.pid, chain.child.pid])}\n`);
setInterval(() => undefined, 1_000);
