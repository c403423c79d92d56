import { type Hex, hexToBigInt, numberToHex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { useKeeper } from "../support/keeper/useKeeper.ts";
import { type RpcProxy, startRpcProxy } from "../support/security/rpcProxy.ts";
import { rpc } from "../support/security/startGasStack.ts";

const keeper = useKeeper();
let liar: RpcProxy;
beforeAll(async () => {
  liar = await startRpcProxy(keeper.stack.chain.rpcUrl);
});
afterAll(async () => {
  await liar?.close();
});

/** Runs an endpoint's answers on blocks of the future: the newest block instead of an earlier one. */
const answerWithNewest = () =>
  liar.rewriteCalls((call) =>
    call.method === "eth_call" ? { ...call, params: [call.params![0], "latest", ...call.params!.slice(2)] } : call,
  );
const tellTruth = () => {
  liar.rewriteCalls((call) => call);
  liar.answerWith(() => undefined);
  liar.setDown(false);
};
/** Both orders of the endpoints. */
const orders = () => [
  [liar.url, keeper.stack.chain.rpcUrl],
  [keeper.stack.chain.rpcUrl, liar.url],
];

describe("C12-10", () => {
  test("C12-10 one lying endpoint of two cannot cause a claim of fees that are not final", async () => {
    const { token, splitter } = await keeper.launch();
    await keeper.makeFinal();
    await keeper.buy(token);
    for (const urls of orders()) {
      await keeper.forget(splitter);
      answerWithNewest();
      await keeper.run(async () => await keeper.untilChecked(splitter), { settings: { RPC_URL: urls.join(",") } });
      expect(await keeper.claims(splitter)).toEqual([]);
    }
    tellTruth();
    await keeper.makeFinal();
    await keeper.forget(splitter);
    // Alone, the honest endpoint confirms nothing either.
    liar.setDown(true);
    await keeper.run(
      async ({ deps }) => {
        await expect
          .poll(
            async () =>
              (await deps.metrics.keeperChecks.get()).values.find((v) => v.labels.outcome === "unconfirmed")?.value ??
              0,
            { timeout: 30_000 },
          )
          .toBeGreaterThan(0);
      },
      { settings: { RPC_URL: orders()[1]!.join(",") } },
    );
    expect(await keeper.claims(splitter)).toEqual([]);
    tellTruth();
    await keeper.forget(splitter);
    await keeper.run(
      async () => {
        await keeper.untilSent(splitter);
        await keeper.untilEnded(splitter);
      },
      { settings: { RPC_URL: orders()[0]!.join(",") } },
    );
  });

  test("C12-10 one endpoint of two that returns a block of the past as the newest block cannot repeat a claim", async () => {
    const { token, splitter } = await keeper.launch();
    await keeper.buy(token);
    await keeper.makeFinal();
    const past = await rpc(keeper.stack, "eth_getBlockByNumber", ["latest", false]);
    await keeper.run(async () => {
      await keeper.untilSent(splitter);
      await keeper.untilEnded(splitter);
    });
    // An endpoint may be some seconds behind.
    await rpc(keeper.stack, "anvil_mine", ["0x4", "0x3c"]);
    liar.answerWith(({ method, params }) =>
      method === "eth_getBlockByNumber" && params![0] === "latest" ? { result: past } : undefined,
    );
    for (const urls of orders()) {
      await keeper.forget(splitter);
      liar.reset();
      await keeper.run(
        async () => {
          const isAsked = () => liar.methods().filter((method) => method === "eth_gasPrice").length > 5;
          await expect.poll(isAsked).toBe(true);
        },
        { settings: { RPC_URL: urls.join(",") } },
      );
      expect(await keeper.claims(splitter)).toHaveLength(1);
    }
    tellTruth();
  });

  test("C12-10 one lying endpoint of two cannot hide what a claim has cost", async () => {
    for (const urls of orders()) {
      const { token, splitter } = await keeper.launch();
      await keeper.buy(token);
      await keeper.makeFinal();
      await keeper.run(
        async () => {
          liar.answerWith((call, real) => {
            const { result } = real as { result: { gasUsed: Hex } | null };
            if (call.method !== "eth_getTransactionReceipt" || result === null) return undefined;
            return { result: { ...result, gasUsed: numberToHex(hexToBigInt(result.gasUsed) / 1_000n) } };
          });
          await keeper.untilSent(splitter);
          const sql = `select t.state from app.relayer_transactions t join app.keeper_claims c on c.id = t.keeper_claim_id
            where c.splitter = $1`;
          await expect.poll(async () => (await keeper.query(sql, [splitter.toLowerCase()]))[0].state).toBe("confirmed");
          await keeper.makeFinal();
          // Several runs with two receipts that differ.
          liar.reset();
          await expect
            .poll(() => liar.methods().filter((method) => method === "eth_getTransactionReceipt").length, {
              timeout: 30_000,
            })
            .toBeGreaterThan(5);
          const [claim] = await keeper.claims(splitter);
          expect([claim!.outcome, claim!.cost]).toEqual([null, null]);
          tellTruth();
          const [ended] = await keeper.untilEnded(splitter);
          expect(ended!.outcome).toBe("paid");
          expect(BigInt(ended!.cost!)).toBeGreaterThan(BigInt(ended!.max_cost) / 100n);
        },
        { settings: { RPC_URL: urls.join(",") } },
      );
    }
  });
});
