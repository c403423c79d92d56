import schema from "@uniswap/token-lists/src/tokenlist.schema.json" with { type: "json" };
import { Ajv } from "ajv";
import addFormats from "ajv-formats";

const ajv = new Ajv({ allErrors: true, verbose: false });
addFormats.default(ajv);
const validate = ajv.compile(schema);

/** Why a document is no Uniswap Token List by the published schema; null when it is one. */
export function findTokenListFault(document: unknown): string | null {
  return validate(document) ? null : ajv.errorsText(validate.errors);
}
