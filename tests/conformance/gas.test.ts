import { readFileSync } from "node:fs";
import type { Manifest } from "@slipway/protocol/manifest";
import { swapCall } from "@slipway/protocol/swapCall";
import { Contract, type HDNodeWallet, parseEther, Wallet } from "ethers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import { until } from "../support/conformance/launchToken.ts";
import { openSigner, type Signer } from "../support/conformance/signer.ts";
import { startApi } from "../support/conformance/startApi.ts";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { unlimited } from "../support/conformance/unlimited.ts";
import { someWallet, validCalls } from "../support/conformance/validCalls.ts";

type Hex = `0x${string}`;
const { inside, fixture } = target;
const signs = { signs: true };
const observedAtSmall = new Set<string>();
const erc20 = [
  "function approve(address, uint256) returns (bool)",
  "function transfer(address, uint256) returns (bool)",
  "function balanceOf(address) view returns (uint256)",
];

/** Signs typed data like a wallet; ethers adds EIP712Domain itself. */
async function signTyped(wallet: HDNodeWallet, data: any): Promise<string> {
  const { EIP712Domain: _, ...types } = data.types;
  return wallet.signTypedData(data.domain, types, data.message);
}

describe.skipIf(inside === null || fixture === null)("the network-fee top-up", () => {
  /** A wallet with stablecoins and no native. */
  const user = Wallet.createRandom();
  let rich: Signer;
  let token: { address: string; symbol: string };
  const quote = (change: object = {}) =>
    call("POST /gas/quote", { body: { wallet: user.address, token: token.symbol, gas_limit: 200_000, ...change } });

  /** A wallet's next top-up waits for its previous one. */
  const untilConfirmed = async (hash: string) => {
    await until(async () => {
      const { body } = await call("GET /gas/topups/{hash}", { path: { hash } });
      return body.status === "confirmed";
    }, "the top-up to be confirmed");
  };

  beforeAll(async () => {
    const manifest = JSON.parse(readFileSync(inside!.manifestPath, "utf8")) as Manifest;
    rich = openSigner(target.rpcUrl!, target.chainId, target.wallets.at(-2)!.privateKey);
    [token] = (await call("GET /config")).body.gas_station.tokens;
    const { router, router_kind: kind } = manifest.uniswap;
    const amountIn = parseEther("0.1");
    const weth = new Contract(target.weth!, erc20, rich.wallet);
    await rich.wrap(target.weth!, amountIn);
    await (await weth.getFunction("approve").send(router.address, amountIn)).wait();
    const data = swapCall(kind, {
      tokenIn: target.weth as Hex,
      tokenOut: token.address as Hex,
      fee: manifest.eth_usd!.fee,
      recipient: user.address as Hex,
      deadline: BigInt(Math.floor(Date.now() / 1000) + 3_600),
      amounts: { exact: "input", amountIn, minimumOut: 1n },
    });
    await (await rich.wallet.sendTransaction({ to: router.address, data })).wait();
  });
  afterAll(() => rich?.close());

  statusCase(
    "POST /gas/quote",
    200,
    "needs nothing from a wallet that can pay",
    async () => {
      const { body } = await quote({ wallet: rich.address });
      expect(body).toMatchObject({ needs_top_up: false, token_amount: "0", eth_amount: "0", typed_data: null });
      expect(body.permit_typed_data).toBeNull();
    },
    signs,
  );

  it("takes gas limits of 21000 and 30000000, and the token by symbol or address", async () => {
    for (const change of [{ gas_limit: 21_000 }, { gas_limit: 30_000_000 }, { token: token.address }]) {
      expect((await quote({ wallet: rich.address, ...change })).status).toBe(200);
    }
  });

  statusCase("POST /gas/quote", 422, "refuses other gas limits, an unknown token and a bad wallet", async () => {
    for (const change of [
      { gas_limit: 20_999 },
      { gas_limit: 30_000_001 },
      { gas_limit: 21_000.5 },
      { token: "DOGE" },
      { token: fixture!.token },
      { wallet: "0x12" },
    ]) {
      const { status, body } = await quote(change);
      expect([status, body.error.code], JSON.stringify(change)).toEqual([422, "invalid_fields"]);
    }
  });

  statusCase("POST /gas/topup", 422, "refuses a quote that was never given, and a short signature", async () => {
    for (const signature of [`0x${"2".repeat(130)}`, "0x12"]) {
      const body = { quote_id: `0x${"1".repeat(64)}`, wallet: someWallet, signature };
      expect((await call("POST /gas/topup", { body })).status).toBe(422);
    }
  });

  statusCase("GET /gas/topups/{hash}", 404, "does not know a top-up that was never sent", async () => {
    const { status, body } = await call("GET /gas/topups/{hash}", validCalls["GET /gas/topups/{hash}"]!());
    expect([status, body.error.code]).toEqual([404, "not_found"]);
  });

  statusCase("GET /gas/topups/{hash}", 400, "refuses what is no hash", async () => {
    const { status } = await call("GET /gas/topups/{hash}", { path: { hash: "0x12" } });
    expect(status).toBe(400);
  });

  it("sends the quoted native for the quoted tokens, once", async () => {
    const { body: priced } = await quote();
    expect(priced).toMatchObject({ needs_top_up: true, needs_permit: true, eth_balance: "0" });
    expect(BigInt(priced.eth_amount)).toBe(BigInt(priced.eth_needed));
    const body = {
      quote_id: priced.quote_id,
      wallet: user.address,
      signature: await signTyped(user, priced.typed_data),
      permit_signature: await signTyped(user, priced.permit_typed_data),
    };
    const sent = await call("POST /gas/topup", { body });
    expect(sent.status, JSON.stringify(sent.body)).toBe(200);
    await untilConfirmed(sent.body.hash);
    expect(await rich.provider.getBalance(user.address)).toBe(BigInt(priced.eth_amount));
    const again = await call("POST /gas/topup", { body });
    expect([again.status, again.body.error.code]).toEqual([422, "quote_consumed"]);
  });

  statusCase(
    "POST /gas/topup",
    200,
    "refuses a changed signature and does not use the quote up by it",
    async () => {
      const { body: priced } = await quote({ gas_limit: 2_000_000 });
      const stranger = Wallet.createRandom();
      const permit = priced.permit_typed_data;
      const body = {
        quote_id: priced.quote_id,
        wallet: user.address,
        signature: await signTyped(stranger, priced.typed_data),
        ...(permit === null ? {} : { permit_signature: await signTyped(user, permit) }),
      };
      const refused = await call("POST /gas/topup", { body });
      expect([refused.status, refused.body.error.code]).toEqual([422, "signature_invalid"]);
      const sent = await call("POST /gas/topup", {
        body: { ...body, signature: await signTyped(user, priced.typed_data) },
      });
      expect(sent.status, JSON.stringify(sent.body)).toBe(200);
      await untilConfirmed(sent.body.hash);
    },
    signs,
  );

  statusCase(
    "POST /gas/topup",
    429,
    "refuses a network address that has used its top-ups of the day, and does not use the quote up by it",
    async () => {
      // The limit of the stack is high. The limit of this process, over the same database, is the number of sent
      // top-ups.
      const small = await startApi(
        {
          // Like the stack: both processes use the same rate-limit windows.
          ...unlimited,
          DATABASE_URL: inside!.databaseUrl,
          RPC_URL: target.rpcUrl!,
          MANIFEST_PATH: inside!.manifestPath,
          MANIFEST_SHA256: inside!.manifestSha256,
          RELAYER_PRIVATE_KEY: getWallet("relayer").privateKey,
          GAS_STATION_ADDRESS_BUDGET: "1",
          GAS_STATION_TWAP_SECONDS: "1",
          GAS_STATION_DAILY_CAP_WEI: `${10n ** 24n}`,
        },
        target.apiKey,
      );
      try {
        const { body: priced } = await quote({ gas_limit: 6_000_000 });
        const permit = priced.permit_typed_data;
        const body = {
          quote_id: priced.quote_id,
          wallet: user.address,
          signature: await signTyped(user, priced.typed_data),
          ...(permit === null ? {} : { permit_signature: await signTyped(user, permit) }),
        };
        const refused = await small.call("POST /gas/topup", { body, wants429: true });
        expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"]);
        expect(refused.body.error.message).toBe("This network address has used its top-ups of the day.");
        // A day after the first counted top-up, which an earlier test sent.
        const retryAfter = Number(refused.headers.get("retry-after"));
        expect(retryAfter).toBeGreaterThan(23 * 3_600);
        expect(retryAfter).toBeLessThanOrEqual(24 * 3_600);
        expect(refused.body.error.details.retry_after_seconds).toBe(retryAfter);
        for (const one of small.observed) observedAtSmall.add(one);
        const sent = await call("POST /gas/topup", { body });
        expect(sent.status, JSON.stringify(sent.body)).toBe(200);
        await untilConfirmed(sent.body.hash);
      } finally {
        await small.stop();
      }
    },
    { ...signs, observed: observedAtSmall },
  );

  statusCase(
    "GET /gas/topups/{hash}",
    200,
    "shows the state of a top-up by its hash",
    async () => {
      const { body: priced } = await quote({ gas_limit: 16_000_000 });
      const permit = priced.permit_typed_data;
      const sent = await call("POST /gas/topup", {
        body: {
          quote_id: priced.quote_id,
          wallet: user.address,
          signature: await signTyped(user, priced.typed_data),
          ...(permit === null ? {} : { permit_signature: await signTyped(user, permit) }),
        },
      });
      const { body } = await call("GET /gas/topups/{hash}", { path: { hash: sent.body.hash } });
      expect(["pending", "confirmed"]).toContain(body.status);
      expect(body.hash).toBe(sent.body.hash);
    },
    signs,
  );
});
