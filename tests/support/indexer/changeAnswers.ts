import type { RpcTransport } from "@slipway/server/chain/rpcTransport";

export type RpcRequest = { id: number; method: string; params: any[] };
export type RpcAnswer = { id: number; result?: any; error?: { code: number; message: string } };

/**
 * A proxy before real nodes that changes their answers. `change` receives each call of a request with its answer, in
 * order, and returns the answer to pass on.
 */
export function changeAnswers(
  change: (call: RpcRequest, answer: RpcAnswer, endpoint: number) => RpcAnswer,
): (through: RpcTransport) => RpcTransport {
  return (through) => async (endpoint, body, signal) => {
    const request = JSON.parse(body) as RpcRequest | RpcRequest[];
    const calls = [request].flat();
    const answers = [JSON.parse(await through(endpoint, body, signal)) as RpcAnswer | RpcAnswer[]].flat();
    const byId = new Map(answers.map((answer) => [answer.id, answer]));
    const changed = calls.map((call) => change(call, byId.get(call.id)!, endpoint));
    return JSON.stringify(Array.isArray(request) ? changed : changed[0]);
  };
}
