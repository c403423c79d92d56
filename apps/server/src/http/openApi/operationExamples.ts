import { readFileSync } from "node:fs";
import type { ZodOpenApiExamplesObject } from "zod-openapi";

/** A request of an operation, and an answer for each successful status, as a conformance run recorded them. */
type RecordedExamples = { request?: unknown; answers: Record<string, unknown> };

/** The file that `npm run openapi:examples` writes. */
const examplesFile = new URL("../../../openApi/examples.json", import.meta.url);

const recorded = JSON.parse(readFileSync(examplesFile, "utf8")) as Record<string, RecordedExamples>;

/** Returns the example of an operation's JSON body; undefined without a body. */
export function getRequestExample(name: string): ZodOpenApiExamplesObject | undefined {
  return toExamples(recorded[name]?.request);
}

/** Returns the example of an operation's answer with a status; undefined for an answer that is not JSON. */
export function getAnswerExample(name: string, status: string): ZodOpenApiExamplesObject | undefined {
  return toExamples(recorded[name]?.answers[status]);
}

const toExamples = (value: unknown) => (value === undefined ? undefined : { example: { value } });
