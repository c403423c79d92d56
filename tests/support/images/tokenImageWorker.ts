import { parseConfig } from "@slipway/server/config";
import { openDatabase } from "@slipway/server/db/database";
import { processTokenImages } from "@slipway/server/features/images/processTokenImages";
import { createUntrustedFetch } from "@slipway/server/providers/untrustedFetch/untrustedFetch";
import { systemClock } from "@slipway/server/systemClock";
import { pino } from "pino";
import { createReadApp } from "../server/readApp.ts";

/**
 * A process that runs only the job of token pictures, for tests that kill it. 127.0.0.2 acts as the public internet.
 * Settings: DATABASE_URL, DATA_DIR, OUTSIDE_CA, OUTSIDE_PORT.
 */
const { DATABASE_URL = "", DATA_DIR = "", OUTSIDE_CA = "", OUTSIDE_PORT = "" } = process.env;
const config = parseConfig({ DATABASE_URL, RPC_URL: "http://127.0.0.1:1" });
const { deps } = await createReadApp(openDatabase(config, pino({ level: "silent" })), {
  DATA_DIR,
  TOKEN_MANIFEST_POLL_MS: "20",
});
processTokenImages(
  deps,
  createUntrustedFetch({
    clock: systemClock,
    ca: OUTSIDE_CA,
    resolve: async () => ["127.0.0.2"],
    addressPolicy: ({ address, port }) => address === "127.0.0.2" && port === Number(OUTSIDE_PORT),
  }),
);
