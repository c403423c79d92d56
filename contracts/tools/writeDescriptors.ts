// Writes the descriptors of ERC-7730 without addresses to contracts/erc7730. The service serves them with the addresses of
// its manifest. A test compares the files.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createClearSigningFiles } from "@slipway/protocol/clearSigning";

const folder = fileURLToPath(new URL("../erc7730/", import.meta.url));

mkdirSync(folder, { recursive: true });
for (const { name, descriptor } of createClearSigningFiles(null)) {
  writeFileSync(`${folder}${name}`, `${JSON.stringify(descriptor, null, 2)}\n`);
}
