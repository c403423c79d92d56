import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { getAddress, isAddress } from "viem";

const schema = JSON.parse(readFileSync(new URL("./erc7730-v2.schema.json", import.meta.url), "utf8"));
// The schema has keys of its own, such as `$context`, and a misspelled keyword.
const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (instance: Ajv2020) => void)(ajv);
ajv.addFormat("eip155", { type: "number", validate: (id: number) => Number.isSafeInteger(id) && id > 0 });
ajv.addFormat("eip55", (text: string) => isAddress(text) && getAddress(text) === text);
const validate = ajv.compile(schema);

/** Returns the errors of a descriptor by the JSON schema of ERC-7730, version 2. */
export function findDescriptorErrors(descriptor: unknown): string[] {
  if (validate(descriptor)) return [];
  return validate.errors!.map(({ instancePath, message }) => `${instancePath}: ${message}`);
}
