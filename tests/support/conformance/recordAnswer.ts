import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "./call.ts";
import { normalizeBody, normalizeText } from "./normalizeAnswer.ts";
import type { Operation } from "./openApi.ts";

/** One answer without what differs between two runs of the same code. */
export type RecordedAnswer = {
  operation: string;
  status: number;
  headers: Record<string, string>;
  body: unknown;
};

/** One request with its answer as they were sent; examples of the OpenAPI document are chosen from them. */
export type RecordedSample = {
  operationId: string;
  status: number;
  request: unknown;
  body: unknown;
};

/** The files of a recording. */
export const answersFile = "answers.jsonl";
export const samplesFile = "samples.jsonl";

/** Headers that do not depend on the time or on other requests. */
const recordedHeaders = [
  "access-control-allow-origin",
  "cache-control",
  "content-type",
  "location",
  "www-authenticate",
];

/** Headers whose value differs between runs; only their presence is recorded. */
const presentHeaders = [
  "content-disposition",
  "credits-remaining",
  "etag",
  "retry-after",
  "set-cookie",
  "x-request-id",
];

/** Appends an answer to the folder that RECORD_ANSWERS names; does nothing without it. */
export function recordAnswer(operation: Operation, call: Call, response: Response, body: unknown): void {
  const folder = process.env.RECORD_ANSWERS;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  const { status } = response;
  const recorded: RecordedAnswer = {
    operation: operation.name,
    status,
    headers: pickHeaders(response.headers),
    body: normalizeBody(body),
  };
  appendFileSync(join(folder, answersFile), `${JSON.stringify(recorded)}\n`);
  const isSuccess = status < 300 && body !== undefined;
  if (!isSuccess) return;
  const sample: RecordedSample = { operationId: operation.operationId, status, request: call.body, body };
  appendFileSync(join(folder, samplesFile), `${JSON.stringify(sample)}\n`);
}

function pickHeaders(headers: Headers): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of recordedHeaders) {
    const value = headers.get(name);
    if (value !== null) picked[name] = normalizeText(value);
  }
  for (const name of presentHeaders) {
    if (headers.has(name)) picked[name] = "<present>";
  }
  return picked;
}
