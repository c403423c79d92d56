import { pino } from "pino";
import { privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { RpcError } from "../../chain/rpcError.ts";
import { createRpcPool } from "../../chain/rpcPool.ts";
import { createMetrics } from "../../metrics.ts";
import { systemClock } from "../../systemClock.ts";
import { verifyWalletSignature } from "./signInMessage.ts";

const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
const message = "Sign in";
/** Signed with another key, so that `signature` is not a key signature of `address`. */
const signed = { address: `0x${"22".repeat(20)}`, message, signature: await account.signMessage({ message }) } as const;

type Node = "accepts" | "refuses" | "down";

/**
 * A pool of nodes: the contract at the address accepts every signature, refuses every signature, or the node is down.
 */
function createPool(...nodes: Node[]) {
  return createRpcPool({
    endpoints: nodes.length,
    transport: async (endpoint, body) => {
      const node = nodes[endpoint]!;
      if (node === "down") throw new RpcError("transient", "no answer");
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      // The validator of ERC-6492 returns one byte.
      const results: Record<string, string> = { eth_getCode: "0x6000", eth_call: node === "accepts" ? "0x01" : "0x00" };
      return JSON.stringify({ id, result: results[method] });
    },
    timeoutMs: 60_000,
    requestsPerSecond: 1e6,
    clock: systemClock,
    log: pino({ level: "silent" }),
    metrics: createMetrics(),
  });
}

test.each<[nodes: Node[], accepted: boolean]>([
  [["accepts"], true],
  [["refuses"], false],
  [["accepts", "accepts"], true],
  [["accepts", "refuses"], false],
  [["refuses", "accepts"], false],
  [["accepts", "refuses", "accepts"], false],
  [["accepts", "down"], true],
  [["down", "refuses"], false],
])("C4-54 a contract's signature, by the state of the endpoints: %j, accepted: %j", async (nodes, accepted) => {
  expect(await verifyWalletSignature({ rpc: createPool(...nodes) }, signed)).toBe(accepted);
});

test("C4-54 a key's signature needs no endpoint, and a contract's cannot be verified without one", async () => {
  const rpc = createPool("down", "down");
  expect(await verifyWalletSignature({ rpc }, { ...signed, address: account.address })).toBe(true);
  await expect(verifyWalletSignature({ rpc }, signed)).rejects.toMatchObject({ code: "chain_unavailable" });
});
