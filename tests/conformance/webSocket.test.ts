import type { DataMessage, ServerMessage } from "@slipway/protocol/liveMessages";
import { connectLive } from "@slipway/sdk/connectLive";
import { createClient } from "@slipway/sdk/createClient";
import { streamEvents } from "@slipway/sdk/streamEvents";
import { parseEther } from "ethers";
import { describe, expect, it, vi } from "vitest";
import { fetchWithRetry } from "../support/conformance/fetchWithRetry.ts";
import { launchToken, trade } from "../support/conformance/launchToken.ts";
import { openSigner } from "../support/conformance/signer.ts";
import { target } from "../support/conformance/target.ts";
import { bearer, openLive, pollOptions, refusedLive } from "../support/security/liveClient.ts";
import { openRisk } from "../support/security/riskClient.ts";

const { siteUrl, baseUrl, apiKey } = target;
/** An external stack may have no wallet to trade with. */
const withWallets = target.fixture === null ? it.skip : it;

describe("WS /ws/risk", () => {
  it("refuses a handshake without a good credential, one in the URL, no pair and an unknown one", async () => {
    const path = "/ws/risk";
    const refusals: [number, string, Parameters<typeof refusedLive>[1]][] = [
      [401, "unauthorized", { path }],
      [400, "credentials_in_url", { path: `${path}?access_token=${apiKey}` }],
      [400, "invalid_query", { headers: bearer(apiKey), path: `${path}?pair=btc_usdt` }],
      [404, "pair_not_found", { headers: bearer(apiKey), path: `${path}?pair=NONE_USDT` }],
    ];
    for (const [status, code, options] of refusals) {
      const refused = await refusedLive(siteUrl, options);
      expect([refused.status, refused.body.error.code]).toEqual([status, code]);
    }
  });

  it("sends the cards of all markets at once", async () => {
    const client = await openRisk(siteUrl, bearer(apiKey));
    await client.untilReceived(1);
    expect(client.messages[0]).toMatchObject({ event: "risk_update", refresh_seconds: 30, cards: expect.any(Array) });
    client.ws.close();
    await client.untilClosed();
  });
});

describe("WS /ws", () => {
  it("refuses a handshake without a good credential, one in the URL, and other paths", async () => {
    const refusals: [number, string, Parameters<typeof refusedLive>[1]][] = [
      [401, "unauthorized", {}],
      [401, "unauthorized", { headers: bearer("slip_no_such_key") }],
      [400, "credentials_in_url", { path: `/ws?access_token=${apiKey}` }],
      [400, "credentials_in_url", { headers: bearer(apiKey), protocols: ["bearer"] }],
      [404, "not_found", { headers: bearer(apiKey), path: "/ws/nothing" }],
    ];
    for (const [status, code, options] of refusals) {
      const refused = await refusedLive(siteUrl, options);
      expect([refused.status, refused.body.error.code]).toEqual([status, code]);
    }
  });

  it("answers subscriptions to any channel, and pings", async () => {
    const client = await openLive(siteUrl, bearer(apiKey));
    const answers: ServerMessage[] = [];
    for (const message of [
      { type: "ping", id: "first" },
      { type: "subscribe_live", channels: ["signals", "trades"], interval: "1h" },
      { type: "unsubscribe_live", channels: ["signals"] },
      { type: "unsubscribe_live" },
      { type: "subscribe_live", channels: ["trades"], cursor: "999999999999" },
    ]) {
      client.send(message);
      const before = answers.length;
      await client.until((messages) => {
        // Another client may trade on this stack meanwhile.
        answers.splice(0, answers.length, ...messages.filter(({ type }) => /subscribed|pong|error/.test(type)));
        return answers.length > before;
      });
    }
    expect(answers).toMatchObject([
      { type: "pong", id: "first" },
      { channels: ["signals", "trades"], tokens: null, interval: "1h", unavailable: [] },
      { channels: ["trades"], interval: "1h", unavailable: [] },
      { channels: [], cursor: null },
      { type: "error", error: { code: "cursor_expired" } },
    ]);
    client.ws.close();
    await client.untilClosed();
  });

  withWallets("sends a trade and its candle with the same cursors and data as GET /stream", async () => {
    const account = target.wallets.at(-2)!;
    const trader = openSigner(target.rpcUrl!, target.chainId, account.privateKey);
    const client = createClient({ baseUrl, apiKey, fetch: fetchWithRetry });
    // Uses its own token, because other tests count the trades of the fixture's token.
    const { token } = await launchToken(client, trader, {
      name: "Live Lantern",
      symbol: "LIVE",
      image_uri: "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
      chain_id: target.chainId as 46630,
      recipients: [{ provider: "wallet", wallet: trader.address, share_bps: 10_000 }],
    });
    const ended = new AbortController();
    const overEvents: DataMessage[] = [];
    const overWebSocket: DataMessage[] = [];
    const listen = async (stream: ReturnType<typeof streamEvents>, into: DataMessage[]) => {
      for await (const message of stream) into.push(message as DataMessage);
    };
    const { signal } = ended;
    const listening = [
      listen(streamEvents({ baseUrl, token, signal }), overEvents),
      listen(
        connectLive({
          ...{ url: `${siteUrl.replace(/^http/, "ws")}/ws`, apiKey, signal },
          ...{ channels: ["launches", "trades", "candles"], tokens: [token] },
        }),
        overWebSocket,
      ),
    ];
    try {
      // Until both are subscribed, because earlier trades are not sent.
      await vi.waitFor(
        async () => {
          await trade(client, trader, { token, side: "buy", amountIn: parseEther("0.001") });
          for (const received of [overEvents, overWebSocket])
            expect(received.map(({ type }) => type)).toContain("trade");
        },
        { ...pollOptions, interval: 200 },
      );
      const { receipt } = await trade(client, trader, { token, side: "buy", amountIn: parseEther("0.002") });
      const since = (received: DataMessage[]) => {
        const at = received.findIndex(
          (message) => message.type === "trade" && message.data.trade.tx_hash === receipt.hash.toLowerCase(),
        );
        return at === -1 ? [] : received.slice(at, at + 2);
      };
      await vi.waitFor(() => {
        expect(since(overEvents)).toHaveLength(2);
        expect(since(overWebSocket)).toEqual(since(overEvents));
      }, pollOptions);
      expect(since(overWebSocket).map(({ type }) => type)).toEqual(["trade", "candle"]);
    } finally {
      ended.abort();
      await Promise.all(listening);
      trader.close();
    }
  });
});
