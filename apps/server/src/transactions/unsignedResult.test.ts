import { encodeAbiParameters } from "viem";
import { describe, expect, test } from "vitest";
import { RpcError } from "../chain/rpcError.ts";
import { readL1Gas } from "./unsignedResult.ts";

const call = { from: `0x${"1".repeat(40)}`, to: `0x${"2".repeat(40)}`, data: "0x", value: 0n } as const;
const head = { number: 5n, timestamp: 6n, hash: "0x7", gasPriceInWei: 8n } as const;
const l1Gas = async (answer: () => unknown, chainId = 4663) =>
  await readL1Gas({ request: async () => answer() }, chainId, call, head);
const failing = (kind: RpcError["kind"]) => () => {
  throw new RpcError(kind, "no");
};

describe("readL1Gas", () => {
  test("returns the value of the precompile, and null without the precompile", async () => {
    const encoded = encodeAbiParameters(
      [{ type: "uint64" }, { type: "uint256" }, { type: "uint256" }],
      [70_000n, 1n, 1n],
    );
    expect(await l1Gas(() => encoded)).toBe(70_000n);
    expect(await l1Gas(() => encoded, 1)).toBeNull();
    // A local chain with the same id.
    expect(await l1Gas(() => "0x")).toBeNull();
    expect(await l1Gas(failing("refused"))).toBeNull();
  });

  test.each(["transient", "malformed", "overBudget"] as const)(
    "rejects when the endpoint fails (%s), because the gas limit would be too low",
    async (kind) => {
      await expect(l1Gas(failing(kind))).rejects.toMatchObject({ code: "chain_unavailable" });
    },
  );
});
