import { type RiskUpdate, riskUpdate } from "@slipway/protocol/risk";
import { vi } from "vitest";
import type { WebSocket } from "ws";
import { requireDescribed } from "../asyncApi.ts";
import { type Closed, openSocket, pollOptions } from "./liveClient.ts";

/** A client of WS /ws/risk that keeps its messages; each is checked against its schema. */
export type RiskClient = {
  ws: WebSocket;
  messages: RiskUpdate[];
  closed(): Closed | null;
  untilClosed(): Promise<Closed>;
  untilReceived(count: number): Promise<void>;
};

/** Opens a connection; rejects if the handshake is rejected. @param query - Such as `?pair=BTC_USDT`. */
export async function openRisk(site: string, headers: Record<string, string>, query = ""): Promise<RiskClient> {
  const messages: RiskUpdate[] = [];
  const receive = (message: unknown) => {
    requireDescribed("risk", message);
    messages.push(riskUpdate.parse(message));
  };
  const socket = await openSocket(site, { path: `/ws/risk${query}`, headers, receive });
  return {
    ...socket,
    messages,
    untilReceived: async (count) => {
      await vi.waitFor(() => {
        if (messages.length < count) throw new Error(`${messages.length} of ${count} messages`);
      }, pollOptions);
    },
  };
}
