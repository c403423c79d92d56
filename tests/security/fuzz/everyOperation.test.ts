import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { createCheckAnswer } from "../../support/conformance/checkAnswer.ts";
import { fetchOpenApi, type Operation } from "../../support/conformance/openApi.ts";
import { calibrateCpuMs } from "../../support/cpuCalibration.ts";
import { fuzzTarget as target } from "../../support/fuzz/fuzzTarget.ts";
import { judgeAnswer, reachedTheService } from "../../support/fuzz/judgeAnswer.ts";
import { type FuzzRequest, getRequests } from "../../support/fuzz/requests.ts";
import { createValues } from "../../support/fuzz/schemaValues.ts";
import { type FuzzAnswer, getCurl, type Service, sendRequest } from "../../support/fuzz/sendRequest.ts";
import { openSession } from "../../support/fuzz/signIn.ts";
import { describeLoop, readWatch, type Stall } from "../../support/fuzz/watchServer.ts";
import { getVolume } from "../../support/volume.ts";

/** The number of requests to each operation; `FUZZ_RUNS=10000 npm run fuzz` is the full tier. */
const runs = getVolume(300, "FUZZ_RUNS");
const seed = Number(process.env.FUZZ_SEED ?? 20_261);
/** The path in fast-check's report of a failure, to run only that failure. */
const path = process.env.FUZZ_PATH;
/** The maximum time that one request may occupy the server's event loop: CPU time in calibrations of this machine. */
const maxStallRatio = 200;
const maxStallMs = maxStallRatio * (await calibrateCpuMs());

const api = await fetchOpenApi(target.baseUrl);
const checkAnswer = createCheckAnswer(api);
const values = createValues(api.document.components.schemas, target.known);

/** Operations whose examples are valid for one request each. */
const usedUp: ReadonlySet<string> = new Set(["POST /api/auth/siwe/verify", "DELETE /api/account/keys/{id}"]);

/**
 * Operations with quotes come first, because quotes are valid for three minutes. The storing of options and the
 * deletion of drafts come last, because other operations need the drafts as they were stored.
 */
const toOrdered = (operations: readonly Operation[]) => operations.toSorted((a, b) => getRank(a) - getRank(b));
const lastOperations = ["PUT /intents/{id}/options", "DELETE /intents/{id}"];
const getRank = ({ path, name }: Operation) => (path.startsWith("/gas/") ? 0 : lastOperations.indexOf(name) + 2);

type Sent = { request: FuzzRequest; answer: FuzzAnswer };

/** The caller of the operation: the administrator if required, otherwise an account by its key or session. */
async function serviceFor(operation: Operation): Promise<Service> {
  const isAdministration = operation.path.startsWith("/api/admin/");
  const apiKey = isAdministration ? (target.adminKey ?? target.apiKey) : target.apiKey;
  return { ...target, apiKey, cookie: operation.guarded ? await openSession(target) : null };
}

async function sendAndJudge(service: Service, operation: Operation, request: FuzzRequest): Promise<FuzzAnswer> {
  const answer = await sendRequest(service, operation, request).catch((error: Error) => {
    throw new Error(`${error.message}\n${getCurl(service, operation, request)}`);
  });
  const fault = judgeAnswer(checkAnswer, { operation, request, answer, apiKey: service.apiKey });
  if (fault === null) return answer;
  throw new Error(`${fault}\n${answer.text.slice(0, 500)}\n${getCurl(service, operation, request)}`);
}

/**
 * Returns the requests during which the event loop was blocked for too long, also when repeated alone: a garbage
 * collection or a first compilation occurs only once.
 */
async function slowRequests(
  service: Service,
  operation: Operation,
  sent: readonly Sent[],
  stalls: readonly Stall[],
): Promise<string[]> {
  const slow: string[] = [];
  for (const stall of stalls.filter(({ cpuMs }) => cpuMs >= maxStallMs)) {
    const during = sent.filter(
      ({ answer }) => answer.sentAt <= stall.at && answer.answeredAt >= stall.at - stall.wallMs - 10,
    );
    for (const { request } of during) {
      const repeated: number[] = [];
      for (let turn = 0; turn < 3; turn++) {
        await sendRequest(service, operation, request);
        repeated.push((await readWatch(target))!.maxCpuMs);
      }
      if (Math.min(...repeated) >= maxStallMs)
        slow.push(`${repeated.map(Math.round)} ms of CPU: ${getCurl(service, operation, request)}`);
    }
  }
  return slow;
}

const lines: string[] = [];
afterAll(() => {
  process.stdout.write(`\nSeed ${seed}, ${runs} requests an operation\n${lines.join("\n")}\n`);
});

describe("C4-08", () => {
  for (const operation of toOrdered([...api.operations.values()])) {
    test(`C4-08 ${operation.name}: every answer to any request is one that the document declares`, {
      timeout: 60_000 + runs * 1_000,
    }, async () => {
      const sent: Sent[] = [];
      const service = await serviceFor(operation);
      const requests = getRequests(operation, target, values);
      await readWatch(target);
      const property = fc.asyncProperty(requests, async (request) => {
        sent.push({ request, answer: await sendAndJudge(service, operation, request) });
      });
      await fc.assert(property, { numRuns: runs, seed, ...(path === undefined ? {} : { path }) });

      const watched = await readWatch(target);
      const loop = watched
        ? `p99 ${watched.p99Ms.toFixed(1)} ms, max ${watched.maxMs.toFixed(1)} ms, max CPU ${watched.maxCpuMs.toFixed(1)} ms`
        : await describeLoop(target);
      const statuses = Map.groupBy(sent, ({ answer }) => answer.status);
      const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, all]) => `${status}: ${all.length}`);
      lines.push(`${operation.name.padEnd(34)} ${counts.join(", ").padEnd(60)} event loop: ${loop}`);
      expect(await slowRequests(service, operation, sent, watched?.stalls ?? [])).toEqual([]);
      const valid = sent.filter(({ request }) => request.kind === "valid");
      const share = valid.filter(({ answer }) => reachedTheService(answer)).length / valid.length;
      if (operation.name in target.examples && !usedUp.has(operation.name))
        expect(share, "requests of the right form that were not refused").toBeGreaterThan(0.25);
    });
  }
});
