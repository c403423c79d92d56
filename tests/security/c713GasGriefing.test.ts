import { type Hex, hexToBigInt, hexToNumber } from "viem";
import { describe, expect, test } from "vitest";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import { askQuote, rpc, signedTopUp, topUp, untilSettled } from "../support/security/startGasStack.ts";
import { useGasStack } from "../support/security/useGasStack.ts";

const gas = useGasStack();

describe("C7-13", () => {
  test("C7-13 the relayed transaction has the gas that the station asks for before it pays out", async () => {
    const person = await gas.newWallet();
    const { body: quote } = await askQuote(gas.server, person);
    const { body: sent } = await topUp(gas.server, await signedTopUp(person, quote));
    expect((await untilSettled(gas.server, sent.hash)).body.status).toBe("confirmed");
    const transaction = await rpc<{ gas: Hex }>(gas.stack, "eth_getTransactionByHash", [sent.hash]);
    const receipt = await rpc<{ gasUsed: Hex }>(gas.stack, "eth_getTransactionReceipt", [sent.hash]);
    expect(hexToNumber(transaction.gas)).toBeGreaterThanOrEqual(hexToNumber(receipt.gasUsed) + 110_000);
  });

  test("C7-13 with any smaller gas limit the station reverts whole: never tokens without native", async () => {
    const { stack, server, station } = gas;
    const person = await gas.newWallet();
    const { body: quote } = await askQuote(server, person);
    const signed = await signedTopUp(person, quote);
    // Takes the bytes of a top-up that no block accepts yet.
    await rpc(stack, "evm_setAutomine", [false]);
    const { body: sent } = await topUp(server, signed);
    const { input } = await rpc<{ input: Hex }>(stack, "eth_getTransactionByHash", [sent.hash]);
    const outcomes = { whole: 0, none: 0 };
    for (let limit = 60_000; limit <= 400_000; limit += 10_000) {
      const call = { from: getWallet("relayer").address, to: station, input, gas: `0x${limit.toString(16)}` };
      const [block] = await rpc<{ calls: { status: Hex; logs: { data: Hex }[] }[] }[]>(stack, "eth_simulateV1", [
        { blockStateCalls: [{ calls: [call] }], traceTransfers: true },
        "latest",
      ]);
      const { status, logs } = block!.calls[0]!;
      if (status === "0x1") {
        outcomes.whole++;
        const amounts = logs.map(({ data }) => (data.length === 66 ? hexToBigInt(data) : null));
        expect(amounts).toContain(BigInt(quote.eth_amount));
        expect(amounts).toContain(BigInt(quote.token_amount));
      } else {
        outcomes.none++;
        expect(logs).toHaveLength(0);
      }
    }
    expect(outcomes.whole).toBeGreaterThan(0);
    expect(outcomes.none).toBeGreaterThan(0);
    await rpc(stack, "evm_setAutomine", [true]);
    await rpc(stack, "evm_mine");
    expect((await untilSettled(server, sent.hash)).body.status).toBe("confirmed");
  });
});
