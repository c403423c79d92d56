import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type RpcCall = { method: string; params?: unknown[] };
export type RpcAnswer = { result?: unknown };

/** Inspects calls before and after the node. A call at which it throws gets no answer. */
export type RpcInspector = {
  before?(call: RpcCall): void;
  after?(call: RpcCall, answer: RpcAnswer): void;
};

/** Starts a JSON-RPC proxy before a node. */
export async function startRpcProxy(
  target: string,
  inspector: RpcInspector,
): Promise<{ url: string; stop(): Promise<void> }> {
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const text = await readBody(request);
      const calls = [JSON.parse(text)].flat() as RpcCall[];
      for (const call of calls) inspector.before?.(call);
      const answer = await fetch(target, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: text,
      });
      const answerText = await answer.text();
      const answers = [JSON.parse(answerText)].flat() as RpcAnswer[];
      for (const [index, call] of calls.entries()) inspector.after?.(call, answers[index] ?? {});
      response.writeHead(answer.status, { "content-type": "application/json" }).end(answerText);
    } catch {
      response.destroy();
    }
  };
  // No idle connection is closed while a busy worker sends a request over it.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => void forward(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
