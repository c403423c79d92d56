// Runs an indexer over the database, endpoint and manifest in its arguments, until it is killed.
import { readFileSync } from "node:fs";
import { manifestSchema } from "@slipway/protocol/manifest";
import { startIndexer } from "@slipway/server/indexer/startIndexer";
import { createTestDeps } from "./testDeps.ts";

const [databaseUrl, rpcUrl, manifestPath] = process.argv.slice(2) as [string, string, string];
const manifest = manifestSchema.parse(JSON.parse(readFileSync(manifestPath, "utf8")));
startIndexer(await createTestDeps({ databaseUrl, rpcUrl }), manifest);
process.stdout.write("started\n");
