import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { OpenApi, Operation } from "./openApi.ts";

/** Why an answer breaks the OpenAPI document; null when it keeps to it. */
export type CheckAnswer = (operation: Operation, status: number, body: unknown) => string | null;

/** Checks answers with a JSON Schema validator that shares nothing with the service's own. */
export function createCheckAnswer({ document }: OpenApi): CheckAnswer {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "openapi", components: document.components });
  const compiled = new Map<string, ValidateFunction>();

  return (operation, status, body) => {
    const schema = operation.answers.get(status);
    if (schema === undefined) return `${operation.name} does not declare the status ${status}`;
    if (schema === null) return null;
    const key = `${operation.name} ${status}`;
    let validate = compiled.get(key);
    if (!validate) {
      validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/')));
      compiled.set(key, validate);
    }
    return validate(body) ? null : `${key}: ${ajv.errorsText(validate.errors, { dataVar: "answer" })}`;
  };
}
