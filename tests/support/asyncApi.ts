import { createRequire } from "node:module";
import { createAsyncApiDocument } from "@slipway/server/http/asyncApi/createAsyncApiDocument";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";

const require = createRequire(import.meta.url);

/** Returns the violation of the specification's schema by an AsyncAPI 3.1 document; null if there is none. */
export function findSpecificationFaults(asyncApi: object): unknown {
  const own = new Ajv({ strict: false, allErrors: true, validateSchema: false, meta: false });
  (addFormats as unknown as (ajv: Ajv) => void)(own);
  const validate = own.compile(require("@asyncapi/specs/schemas/3.1.0.json") as object);
  return validate(asyncApi) ? null : validate.errors;
}

const document: any = createAsyncApiDocument({ SITE_URL: "https://slipway.example" });
const ajv = new Ajv({ strict: false, allErrors: true });
(addFormats as unknown as (ajv: Ajv) => void)(ajv);
ajv.addSchema(document, "asyncapi.json");
const validators = new Map<string, ValidateFunction>();

/** Throws if the AsyncAPI document does not describe a message of a channel. */
export function requireDescribed(channel: "live" | "risk" | "stream", message: unknown): void {
  const { type, event } = message as { type?: string; event?: string };
  const name = `${channel}_${type ?? event}`;
  if (!(name in document.channels[channel].messages)) throw new Error(`the AsyncAPI document has no message ${name}`);
  const path = `asyncapi.json#/components/messages/${name}/payload`;
  const validate = validators.get(name) ?? ajv.compile({ $ref: path });
  validators.set(name, validate);
  if (!validate(message)) throw new Error(`${name} is not as described: ${JSON.stringify(validate.errors)}`);
}
