import { bookPayments } from "@slipway/server/features/payments/bookPayments";
import { authorizationTopics } from "@slipway/server/features/payments/findAuthorizationUse";
import { type Hex, hexToBigInt, numberToHex, padHex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { payee, paymentEnvironment } from "../support/payments/paymentEnvironment.ts";
import { usePayments } from "../support/payments/usePayments.ts";
import { type Call, type RpcProxy, startRpcProxy } from "../support/security/rpcProxy.ts";
import { gasSettings, type Person, rpc, tokenBalance } from "../support/security/startGasStack.ts";
import type { Server } from "../support/security/startTestStack.ts";

const payments = usePayments();
const { gas, pay, offer, sign, totals } = payments;
let liar: RpcProxy;
beforeAll(async () => {
  liar = await startRpcProxy(gas.stack.chain.rpcUrl);
});
afterAll(async () => {
  await liar?.close();
});

/** The answers of an endpoint that invents the final transfer of a payment, consistently. */
function inventTransfer(person: Person, nonce: Hex, value: bigint) {
  return (call: Call, real: object): object | undefined => {
    const { result } = real as { result: any };
    const [first] = call.params ?? [];
    if (call.method === "eth_call") {
      const { to, data = "", input = data } = first as { to?: string; data?: string; input?: string };
      const isState = to?.toLowerCase() === gas.stack.stablecoin.toLowerCase() && input.includes(nonce.slice(2));
      return isState ? { result: numberToHex(1, { size: 32 }) } : undefined;
    }
    if (call.method !== "eth_getTransactionReceipt") return undefined;
    const owner = padHex(person.address.toLowerCase() as Hex, { size: 32 });
    const address = gas.stack.stablecoin;
    const logs = [
      { address, topics: [authorizationTopics.used, owner, nonce], data: "0x" },
      {
        address,
        topics: [authorizationTopics.transfer, owner, padHex(payee.toLowerCase() as Hex, { size: 32 })],
        data: numberToHex(value, { size: 32 }),
      },
    ];
    return { result: { ...(result ?? invented), transactionHash: first, status: "0x1", logs } };
  };
}
/** The place of the invented receipt: a real and final block. */
let invented: object;

/** Opens a server whose endpoints are in this order, with its job of payments. */
async function withServer(urls: string[], work: (server: Server) => Promise<void>): Promise<void> {
  const server = await gas.stack.openServer({ ...gasSettings, ...paymentEnvironment, RPC_URL: urls.join(",") });
  const job = bookPayments(server.deps);
  try {
    await work(server);
  } finally {
    await job.stop();
    await server.close();
    liar.answerWith(() => undefined);
    liar.setDown(false);
  }
}

/** Waits until the job has checked a payment several times since now. */
async function untilChecked(id: string): Promise<void> {
  const read = async () =>
    (await payments.query("select checked_at from app.payments where id = $1", [id]))[0].checked_at;
  for (let i = 0; i < 3; i++) {
    const last = await read();
    await expect.poll(async () => (await read()) > last).toBe(true);
  }
}

describe("C11-10", () => {
  test("C11-10 one lying endpoint of two invents no transfer, and hides none, in either order", async () => {
    const honest = gas.stack.chain.rpcUrl;
    for (const urls of [
      [liar.url, honest],
      [honest, liar.url],
    ]) {
      await payments.pauseJob(async () => {
        await withServer(urls, async (server) => {
          const person = await gas.newWallet();
          const signed = await sign(person, await offer());
          const before = await totals();
          await payments.makeFinal();
          const { number, hash } = await rpc<{ number: Hex; hash: Hex }>(gas.stack, "eth_getBlockByNumber", [
            "0x1",
            false,
          ]);
          invented = { blockNumber: number, blockHash: hash, gasUsed: "0x1", effectiveGasPrice: "0x1" };
          let id = "";
          await gas.pauseJob(async () => {
            await rpc(gas.stack, "evm_setAutomine", [false]);
            const sent = await pay({ payment: signed }, { server });
            expect(sent.status).toBe(201);
            id = sent.body.id;
            await rpc(gas.stack, "anvil_dropTransaction", [sent.body.transaction]);
            liar.answerWith(inventTransfer(person, signed.payload.authorization.nonce as Hex, 1_000_000n));
            await untilChecked(id);
            expect((await payments.get(id)).body.status).toBe("pending");
            expect(await totals()).toEqual(before);
            await rpc(gas.stack, "evm_setAutomine", [true]);
          });
          // The honest transfer now happens, and the liar hides it.
          await payments.untilSent(id);
          liar.answerWith((call, real) => {
            const input = JSON.stringify(call.params ?? "");
            const isState = call.method === "eth_call" && input.includes(signed.payload.authorization.nonce.slice(2));
            return isState && hexToBigInt((real as { result: Hex }).result) === 1n
              ? { result: numberToHex(0, { size: 32 }) }
              : undefined;
          });
          await payments.makeFinal();
          await untilChecked(id);
          expect((await payments.get(id)).body.status).toBe("pending");
          expect(await tokenBalance(gas.stack, payee)).toBe(before.received + 1_000_000n);
          // While one endpoint is down, nothing confirms the other.
          liar.setDown(true);
          await untilChecked(id);
          liar.setDown(false);
          liar.answerWith(() => undefined);
          await expect.poll(async () => (await payments.get(id)).body.status).toBe("booked");
          expect((await totals()).credits).toBe(before.credits + 100);
        });
      });
    }
  });
});

describe("C11-07", () => {
  test("C11-07 a token that would take a fee, or ignore the authorization, gets no transaction", async () => {
    await withServer([liar.url], async (server) => {
      const person = await gas.newWallet();
      const signed = await sign(person, await offer());
      for (const change of [
        // A fee of one base unit.
        (logs: any[]) => [logs[0], { ...logs[1], data: numberToHex(999_999, { size: 32 }) }],
        // USDG's answer to a used authorization.
        () => [],
      ]) {
        liar.answerWith((call, real) => {
          if (call.method !== "eth_simulateV1") return undefined;
          const { result } = real as { result: any[] };
          const [block] = result;
          return { result: [{ ...block, calls: [{ ...block.calls[0], logs: change(block.calls[0].logs) }] }] };
        });
        const { status, body } = await pay({ payment: signed }, { server });
        expect([status, body.error?.code]).toEqual([503, "payment_unavailable"]);
      }
    });
    expect((await payments.query("select count(*) as n from app.payments where state = 'held'"))[0].n).toBe(0);
  });
});
