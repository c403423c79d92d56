import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outsideFolder } from "../postgres/postgresProgram.ts";

/** A new folder for one throw-away stack, and what removes it with everything the stack kept outside of it. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "slipway-"));
  return {
    path,
    remove: () => {
      for (const folder of [path, outsideFolder(path)]) rmSync(folder, { recursive: true, force: true });
    },
  };
}
