import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { type AdminKey, createAdminKey } from "./createAdminKey.ts";
import { findTarget } from "./findTarget.ts";
import { fetchOpenApi } from "./openApi.ts";
import { prepareFixture } from "./prepareFixture.ts";

/** The folder of the last run's proven cells. */
const cellsFolder = fileURLToPath(new URL("../../../.cache/conformance", import.meta.url));

/** Finds or starts the stack of this run, launches and trades a token on it, and provides it to the tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  mkdirSync(cellsFolder, { recursive: true });
  // The folder belongs to this run until it ends: two runs of one checkout must not add up.
  const cellsPath = join(cellsFolder, `cells.${process.pid}.jsonl`);
  writeFileSync(cellsPath, "");
  const { target, stop } = await findTarget(process.env);
  let admin: AdminKey | null = null;
  try {
    writeFileSync(join(cellsFolder, "run.json"), JSON.stringify({ fromInside: target.inside !== null }));
    const { document } = await fetchOpenApi(target.baseUrl);
    writeFileSync(join(cellsFolder, "openapi.json"), JSON.stringify(document));
    admin = await createAdminKey(target.inside?.databaseUrl);
    const known = { ...target, adminKey: admin?.key ?? null };
    project.provide("target", { ...known, cellsPath, fixture: await prepareFixture(known) });
  } catch (error) {
    await admin?.revoke();
    await stop();
    throw error;
  }
  return async () => {
    renameSync(cellsPath, join(cellsFolder, "cells.jsonl"));
    await admin?.revoke();
    await stop();
  };
}
