import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { OpenApi, Operation } from "./openApi.ts";

/** Returns the violation of the OpenAPI document by an answer; null if there is none. */
export type CheckAnswer = (operation: Operation, status: number, body: unknown, headers: Headers) => string | null;

/** Keywords whose values are data, not schemas. */
const dataKeywords: ReadonlySet<string> = new Set(["example", "examples", "default", "const", "enum"]);

/**
 * Forbids properties that the document does not declare: clients must accept them, because a later release may add some, but an
 * answer of this release has none.
 */
function close(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(close);
  if (typeof part !== "object" || part === null) return part;
  const closed = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, dataKeywords.has(key) ? value : close(value)]),
  );
  const isObject =
    typeof closed.properties === "object" && "type" in closed && closed.additionalProperties === undefined;
  return isObject ? { ...closed, additionalProperties: false } : closed;
}

/** Checks answers with a JSON Schema validator that shares no code with the service's validator. */
export function createCheckAnswer({ document }: OpenApi): CheckAnswer {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "openapi", components: close(document.components) as object });
  const compiled = new Map<string, ValidateFunction>();

  /** Reports a missing required header, or a header that the document declares only for other answers. */
  const checkHeaders = (operation: Operation, status: number, headers: Headers): string | null => {
    const declared = operation.about.responses[status]?.headers ?? {};
    for (const [name, { required }] of Object.entries(document.components.headers)) {
      if (name in declared && required && !headers.has(name)) return `${operation.name} ${status} has no ${name}`;
      if (!(name in declared) && headers.has(name)) return `${operation.name} ${status} does not declare ${name}`;
    }
    return null;
  };

  /** The code of an error must be one of the status's examples. */
  const checkCode = (operation: Operation, status: number, body: unknown): string | null => {
    const examples = operation.about.responses[status]?.content?.["application/json"]?.examples ?? {};
    const code = (body as { error?: { code: string } } | undefined)?.error?.code;
    return code === undefined || code in examples
      ? null
      : `${operation.name} ${status} does not declare the code ${code}`;
  };

  return (operation, status, body, headers) => {
    const schema = operation.answers.get(status);
    if (schema === undefined) return `${operation.name} does not declare the status ${status}`;
    const broken = checkHeaders(operation, status, headers) ?? checkCode(operation, status, body);
    if (schema === null || broken !== null) return broken;
    // Another representation than JSON, such as CSV, has no schema.
    const type = headers.get("content-type")?.split(";")[0] ?? "";
    if (type !== "application/json" && type in (operation.about.responses[status]?.content ?? {})) return null;
    const key = `${operation.name} ${status}`;
    let validate = compiled.get(key);
    if (!validate) {
      const text = JSON.stringify(close(schema)).replaceAll('"#/components/', '"openapi#/components/');
      validate = ajv.compile(JSON.parse(text));
      compiled.set(key, validate);
    }
    return validate(body) ? null : `${key}: ${ajv.errorsText(validate.errors, { dataVar: "answer" })}`;
  };
}
