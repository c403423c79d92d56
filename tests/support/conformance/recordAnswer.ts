import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "./call.ts";
import type { Operation } from "./openApi.ts";

/** A request of a conformance run with its answer. */
export type RecordedAnswer = {
  /** The method and path, e.g. `GET /tokens/{address}`. */
  operation: string;
  operationId: string;
  status: number;
  headers: Record<string, string>;
  /** The body of the request, if it was JSON. */
  request?: unknown;
  body?: unknown;
};

const fileName = "answers.jsonl";

/** Appends an answer to the folder RECORD_ANSWERS; does nothing without it. */
export function recordAnswer(operation: Operation, call: Call, response: Response, body: unknown): void {
  const folder = process.env.RECORD_ANSWERS;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  const recorded: RecordedAnswer = {
    operation: operation.name,
    operationId: operation.operationId,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    request: call.body,
    body,
  };
  appendFileSync(join(folder, fileName), `${JSON.stringify(recorded)}\n`);
}

/** Reads the answers of a recording. */
export function readRecording(folder: string): RecordedAnswer[] {
  const lines = readFileSync(join(folder, fileName), "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as RecordedAnswer);
}
