import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { externalFolder } from "../postgres/postgresProgram.ts";

/** Creates a folder for a temporary stack. `remove` deletes it and the stack's data outside of it. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "slipway-"));
  return {
    path,
    remove: () => {
      for (const folder of [path, externalFolder(path)]) rmSync(folder, { recursive: true, force: true });
    },
  };
}
