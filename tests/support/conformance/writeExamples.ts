import { readFileSync, writeFileSync } from "node:fs";
import type { OperationName } from "@slipway/protocol/allEndpoints";
import { operations } from "@slipway/protocol/operations";
import type { OperationDefinition } from "@slipway/protocol/operations/operationDefinition";
import { type RecordedAnswer, readRecording } from "./recordAnswer.ts";

/** The examples of one operation: a request, and one answer for each successful status. */
type OperationExamples = { request?: unknown; answers: Record<string, unknown> };

/** The maximum length of lists of objects or numbers in answers. */
const maxItems = 2;

/** Lists that stay complete: the fields of an EIP-712 type, and lists with a fixed length. */
const completeLists: ReadonlySet<string> = new Set(["types", "sparkline"]);

/**
 * Examples that stay as they are in the file, because conformance cannot produce them: it waits for no vested tokens and
 * changes no liquidity, and the first two entries of a list do not show its variety. After a change of such a schema,
 * edit the example by hand.
 */
const handMade: ReadonlySet<OperationName> = new Set([
  "getForecastInfo",
  "listEvents",
  "listLiquidityChanges",
  "prepareVestingRelease",
]);

/** Texts of the recording machine, and their replacements in the examples. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/http:\/\/(127\.0\.0\.1|localhost):\d+/g, "https://launch.example"],
  [/http%3A%2F%2F(127\.0\.0\.1|localhost)%3A\d+/g, "https%3A%2F%2Flaunch.example"],
  [/(127\.0\.0\.1|localhost):\d+/g, "launch.example"],
  [/127\.0\.0\.1/g, "203.0.113.7"],
  [/\bslip_[\w-]{20,}/g, `slip_${"A".repeat(43)}`],
  [/^slip_[\w-]{4}$/, "slip_AAAA"],
  [/^whsec_.{44}$/, `whsec_${"A".repeat(43)}=`],
  [/^conformance-[0-9a-f-]{36}@/, "alerts@"],
  [/ [0-9a-f]{8}$/, ""],
];

/**
 * Writes the examples of the OpenAPI document from a recording of a conformance run; `npm run openapi:examples` makes
 * the recording first. Prefers answers with more values.
 */
function writeExamples(folder: string): void {
  const recorded = readRecording(folder);
  const missing: string[] = [];
  const stored = JSON.parse(readFileSync(examplesFile, "utf8")) as Record<string, OperationExamples>;
  const examples: Record<string, OperationExamples> = {};
  for (const name of Object.keys(operations).sort() as OperationName[]) {
    const { answers, body }: OperationDefinition = operations[name];
    const withSchema = Object.entries(answers).filter(([, { schema }]) => schema !== undefined);
    if (withSchema.length === 0) continue;
    if (handMade.has(name)) {
      for (const [status, { schema }] of withSchema) schema!.parse(stored[name]?.answers[status]);
      examples[name] = stored[name]!;
      continue;
    }
    const chosen = withSchema.flatMap(([status, { schema }]) => {
      const candidates = recorded.filter((one) => one.operationId === name && one.status === Number(status));
      const withRequest = candidates.filter(({ request }) => body === undefined || request !== undefined);
      const best = chooseAnswer(withRequest.filter(isSuccess));
      if (best === undefined) missing.push(`${name} ${status}`);
      else schema!.parse(toExample(best.body));
      return best === undefined ? [] : [best];
    });
    examples[name] = {
      ...(body !== undefined && { request: anonymize(chosen[0]?.request) }),
      answers: Object.fromEntries(chosen.map((one) => [one.status, toExample(one.body)])),
    };
  }
  if (missing.length > 0) throw new Error(`The recording has no answer of ${missing.join(", ")}.`);
  writeFileSync(examplesFile, `${JSON.stringify(examples, null, 2)}\n`);
}

const examplesFile = new URL("../../../apps/server/openApi/examples.json", import.meta.url);

const isSuccess = ({ body }: RecordedAnswer): boolean =>
  // An answer such as CSV has no JSON.
  body !== undefined && (body as { error?: unknown }).error === undefined;

/** Returns the shortened answer with the most non-null values; the first of equal answers. */
function chooseAnswer(candidates: readonly RecordedAnswer[]): RecordedAnswer | undefined {
  let best: RecordedAnswer | undefined;
  let bestCount = -1;
  for (const candidate of candidates) {
    const count = countValues(shorten("", candidate.body));
    if (count > bestCount) {
      best = candidate;
      bestCount = count;
    }
  }
  return best;
}

function countValues(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (typeof value !== "object") return 1;
  return Object.values(value).reduce((sum: number, member) => sum + countValues(member), 0);
}

/** Shortens the lists of an answer. */
function shorten(key: string, value: unknown): unknown {
  if (completeLists.has(key)) return value;
  if (Array.isArray(value)) {
    const isList = !value.every((item) => typeof item === "string");
    const items: unknown[] = isList ? value.slice(0, maxItems) : value;
    return items.map((item) => shorten(key, item));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shorten(name, member)]));
}

const toExample = (body: unknown): unknown => anonymize(shorten("", body));

function anonymize(value: unknown): unknown {
  if (typeof value === "string") {
    return replacements.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), value);
  }
  if (Array.isArray(value)) return value.map(anonymize);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, anonymize(member)]));
}

const [, , recording] = process.argv;
if (recording === undefined) throw new Error("Usage: writeExamples.ts RECORDING");
writeExamples(recording);
