import { type Hex, pad } from "viem";
import type { Call } from "./rpcProxy.ts";

/**
 * Creates the lie of an RPC endpoint that runs calls and simulations on an invented value of a contract's storage, so
 * that reads and simulations agree; for `RpcProxy.rewriteCalls`.
 */
export function inventState(contract: Hex, slot: Hex, value: Hex): (call: Call) => Call {
  const overrides = { [contract]: { stateDiff: { [pad(slot, { size: 32 })]: value } } };
  return (call) => {
    if (call.method === "eth_call") {
      const [request, block, own] = call.params!;
      return { ...call, params: [request, block, { ...(own as object), ...overrides }] };
    }
    if (call.method !== "eth_simulateV1") return call;
    const [{ blockStateCalls, ...rest }, block] = call.params as [{ blockStateCalls: any[] }, unknown];
    const [first, ...others] = blockStateCalls;
    const changed = { ...first, stateOverrides: { ...first.stateOverrides, ...overrides } };
    return { ...call, params: [{ ...rest, blockStateCalls: [changed, ...others] }, block] };
  };
}
