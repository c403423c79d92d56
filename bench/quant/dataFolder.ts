import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Returns the folder of reference data: `QUANT_DATA`, otherwise `../shared/data` beside the checkout; null if it does
 * not exist. The data are not shipped, because their sources state no licence that permits it.
 */
export function findDataFolder(): string | null {
  const folder = process.env.QUANT_DATA ?? fileURLToPath(new URL("../../../shared/data", import.meta.url));
  return existsSync(folder) ? folder : null;
}
