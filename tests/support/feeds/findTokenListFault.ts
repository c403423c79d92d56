import schema from "@uniswap/token-lists/src/tokenlist.schema.json" with { type: "json" };
import { Ajv } from "ajv";
import addFormats from "ajv-formats";

const ajv = new Ajv({ allErrors: true, verbose: false });
addFormats.default(ajv);
const validate = ajv.compile(schema);

/** Returns the violation of the published schema of Uniswap Token Lists by a document; null if there is none. */
export function findTokenListFault(document: unknown): string | null {
  return validate(document) ? null : ajv.errorsText(validate.errors);
}
