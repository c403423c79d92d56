import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The folder of reference data: `QUANT_DATA`, else `../shared/data` beside the checkout; null when it is not there. Its
 * sources state no licence that permits to ship them.
 */
export function findDataFolder(): string | null {
  const folder = process.env.QUANT_DATA ?? fileURLToPath(new URL("../../../shared/data", import.meta.url));
  return existsSync(folder) ? folder : null;
}
