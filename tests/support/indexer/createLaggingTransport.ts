import type { RpcTransport } from "@slipway/server/chain/rpcTransport";
import type { Random } from "../simulation/random.ts";
import { changeAnswers, type RpcRequest } from "./changeAnswers.ts";

const hex = (value: number) => `0x${value.toString(16)}`;

/**
 * A balancer before nodes, some of which are 1 to 50 blocks behind: every second request goes to such a node, which
 * returns null for newer blocks.
 *
 * @param onHeadRequest - Called for each request of the head.
 */
export function createLaggingTransport(
  random: Random,
  onHeadRequest: () => void,
): (through: RpcTransport) => RpcTransport {
  return (through) => async (endpoint, body, signal) => {
    const asksHead = (call: RpcRequest) => call.method === "eth_getBlockByNumber" && call.params[0] === "latest";
    const request = JSON.parse(body) as RpcRequest | RpcRequest[];
    if ([request].flat().some(asksHead)) onHeadRequest();
    const headRequest = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "eth_blockNumber", params: [] });
    const real = Number(JSON.parse(await through(endpoint, headRequest, signal)).result);
    const head = Math.max(0, real - (random.chance(0.5) ? random.integer(1, 50) : 0));
    const renamed = [request].flat().map((call) => (asksHead(call) ? { ...call, params: [hex(head), false] } : call));
    const late = changeAnswers((call, answer) => {
      const isByNumber = call.method === "eth_getBlockByNumber" || call.method === "eth_getBlockReceipts";
      return isByNumber && Number(call.params[0]) > head ? { id: call.id, result: null } : answer;
    });
    return await late(through)(endpoint, JSON.stringify(Array.isArray(request) ? renamed : renamed[0]), signal);
  };
}
