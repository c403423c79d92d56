import { type ServerMessage, serverMessage } from "@slipway/protocol/liveMessages";
import { vi } from "vitest";
import { WebSocket } from "ws";
import { requireDescribed } from "../asyncApi.ts";

export type Closed = { code: number; reason: string };

/** A client of WS /ws that keeps its messages; each is checked against its schema and the AsyncAPI document. */
export type LiveClient = {
  ws: WebSocket;
  messages: ServerMessage[];
  send(message: object): void;
  /** Null while it is open. */
  closed(): Closed | null;
  /** Waits until the received messages satisfy `check`. */
  until(check: (messages: ServerMessage[]) => boolean): Promise<void>;
  untilClosed(): Promise<Closed>;
};

export const pollOptions = { timeout: 60_000, interval: 10 };

const socketUrl = (site: string, path = "/ws") => `${site.replace(/^http/, "ws")}${path}`;

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** Opens a connection and passes each message as JSON to a callback; rejects if the handshake is rejected. */
export async function openSocket(
  site: string,
  { path, headers, receive }: { path: string; headers: Record<string, string>; receive: (message: unknown) => void },
): Promise<{ ws: WebSocket; closed(): Closed | null; untilClosed(): Promise<Closed> }> {
  const ws = new WebSocket(socketUrl(site, path), { headers, perMessageDeflate: false });
  let closed: Closed | null = null;
  ws.on("message", (data) => receive(JSON.parse(String(data))));
  ws.on("close", (code, reason) => {
    closed = { code, reason: String(reason) };
  });
  await new Promise<void>((resolve, reject) => {
    ws.once("open", resolve);
    ws.once("error", reject);
  });
  // A connection that is cut off is also closed, which tests check.
  ws.on("error", () => undefined);
  return {
    ws,
    closed: () => closed,
    untilClosed: () =>
      vi.waitFor(() => {
        if (closed === null) throw new Error("it is still open");
        return closed;
      }, pollOptions),
  };
}

/** Opens a connection; rejects if the handshake is rejected. */
export async function openLive(site: string, headers: Record<string, string>): Promise<LiveClient> {
  const messages: ServerMessage[] = [];
  const receive = (message: unknown) => {
    requireDescribed("live", message);
    messages.push(serverMessage.parse(message));
  };
  const socket = await openSocket(site, { path: "/ws", headers, receive });
  return {
    ...socket,
    messages,
    send: (message) => socket.ws.send(JSON.stringify(message)),
    until: async (check) => {
      await vi.waitFor(() => {
        if (!check(messages)) throw new Error(`received ${JSON.stringify(messages.slice(-5))}`);
      }, pollOptions);
    },
  };
}

/** Returns the answer to a rejected handshake; throws if the handshake succeeds. */
export async function refusedLive(
  site: string,
  {
    headers = {},
    path = "/ws",
    protocols = [],
  }: { headers?: Record<string, string>; path?: string; protocols?: string[] },
): Promise<{ status: number; headers: Record<string, unknown>; body: any }> {
  const ws = new WebSocket(socketUrl(site, path), protocols, { headers });
  return await new Promise((resolve, reject) => {
    ws.once("open", () => {
      ws.terminate();
      reject(new Error("the handshake was accepted"));
    });
    ws.once("error", reject);
    ws.once("unexpected-response", (request, response) => {
      let text = "";
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () => {
        request.destroy();
        resolve({ status: response.statusCode!, headers: response.headers, body: JSON.parse(text) });
      });
    });
  });
}
