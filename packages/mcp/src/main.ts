#!/usr/bin/env node
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createClient } from "@slipway/sdk/createClient";
import { createTrust, type Trust } from "@slipway/sdk/verifyPrepared";
import { checkKey } from "./checkKey.ts";
import { createMcpServer } from "./createMcpServer.ts";
import { readAllDocuments } from "./errorDocuments.ts";

/** The settings of the program, from the environment. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the manifest of the deployment from a file of the person who runs the program: the service's own answer would
 * prove nothing about the service.
 *
 * @returns null if no file is configured
 */
async function readTrust({
  SLIPWAY_MANIFEST: path,
  SLIPWAY_MANIFEST_SHA256: pinned,
}: Environment): Promise<Trust | null> {
  if (!path) return null;
  const text = readFileSync(path, "utf8");
  return await createTrust(text, pinned || createHash("sha256").update(text).digest("hex"));
}

/** Starts the server on the standard streams; standard output has only messages of the protocol. */
async function main(env: Environment): Promise<void> {
  const { SLIPWAY_URL: url, SLIPWAY_API_KEY: apiKey } = env;
  const baseUrl = url || "http://127.0.0.1:8787/api/v1/launchpad";
  const client = createClient({ baseUrl, ...(apiKey ? { apiKey } : {}) });
  if (apiKey) await checkKey(client);
  const trust = await readTrust(env);
  if (trust === null) process.stderr.write("SLIPWAY_MANIFEST is not set: no tool prepares transactions.\n");
  const documents = readAllDocuments();
  serveStdio(() => createMcpServer({ client, trust }, documents));
}

try {
  await main(process.env);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
