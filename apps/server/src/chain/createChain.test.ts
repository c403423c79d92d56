import { describe, expect, test } from "vitest";
import { batchRequests } from "./createChain.ts";
import { RpcError } from "./rpcError.ts";

type Calls = readonly { method: string; params: readonly unknown[] }[];

function pool(answer: (method: string) => unknown) {
  const batches: string[][] = [];
  return {
    batches,
    batchSettled: async (calls: Calls) => {
      batches.push(calls.map(({ method }) => method));
      return calls.map(({ method }) => answer(method)) as never;
    },
  };
}

describe("batchRequests", () => {
  test("sends the calls of one event loop iteration as one batch, also from nested promises", async () => {
    const { batches, batchSettled } = pool((method) => `${method}!`);
    const request = batchRequests({ batchSettled });
    const nested = Promise.resolve().then(() => request({ method: "b" }));
    expect(await Promise.all([request({ method: "a" }), nested])).toEqual(["a!", "b!"]);
    expect(await request({ method: "c" })).toBe("c!");
    expect(batches).toEqual([["a", "b"], ["c"]]);
  });

  test("rejects only a failed call, and all calls if no endpoint answers", async () => {
    const refused = new RpcError("refused", "no");
    const request = batchRequests(pool((method) => (method === "bad" ? refused : 1)));
    const results = await Promise.allSettled([request({ method: "good" }), request({ method: "bad" })]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    const down = batchRequests({ batchSettled: () => Promise.reject(new RpcError("transient", "down")) });
    const failed = await Promise.allSettled([down({ method: "a" }), down({ method: "b" })]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});
