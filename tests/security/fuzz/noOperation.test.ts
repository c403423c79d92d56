import { errorBody } from "@slipway/protocol/errorBody";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fetchOpenApi, type Operation } from "../../support/conformance/openApi.ts";
import { fuzzTarget as target } from "../../support/fuzz/fuzzTarget.ts";
import { securityFault } from "../../support/fuzz/judgeAnswer.ts";
import type { FuzzRequest } from "../../support/fuzz/requests.ts";
import { getCurl, sendRequest } from "../../support/fuzz/sendRequest.ts";
import { getVolume } from "../../support/volume.ts";

const runs = getVolume(300, "FUZZ_RUNS");
const seed = Number(process.env.FUZZ_SEED ?? 20_261);

const { operations } = await fetchOpenApi(target.baseUrl);
const known = [...operations.values()].map(({ path, site }) => (site ? path : `/api/v1/launchpad${path}`));
const odd = [
  "",
  "/",
  "//",
  "/%zz",
  "/%2e%2e/x",
  "/..%2f..%2fetc",
  "/%00",
  "/nothing",
  ";a=b",
  "/%f0%9f",
  `/${"a".repeat(3_000)}`,
];

/** Paths of the document with appended text, and methods that they do not support. */
const requests = fc.record({
  path: fc
    .tuple(fc.constantFrom("", "/api/v1/launchpad", ...known), fc.constantFrom(...odd))
    .map((parts) => parts.join("").replace(/^(?!\/)/, "/")),
  method: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"),
});

describe("C4-08", () => {
  test(
    "C4-08 a path or method that the document does not have is refused like everything else",
    async () => {
      const service = { ...target, cookie: null };
      const property = fc.asyncProperty(requests, async ({ path, method }) => {
        const nothing = { path: {}, query: [], headers: [], body: null };
        const request: FuzzRequest = { kind: "hostile", operation: path, method, ...nothing, credential: "none" };
        const operation = { path, site: true, name: path } as Operation;
        const curl = getCurl(service, operation, request);
        const answer = await sendRequest(service, operation, request);
        // A path of the document, if nothing was appended.
        if (answer.status < 400) return;
        expect(securityFault(answer), curl).toBeNull();
        expect(answer.status, curl).toBeLessThan(500);
        expect(errorBody.safeParse(JSON.parse(answer.text)).success, curl).toBe(true);
      });
      await fc.assert(property, { numRuns: runs, seed });
    },
    60_000 + runs * 1_000,
  );
});
