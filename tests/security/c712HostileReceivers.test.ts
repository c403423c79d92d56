import { encodeDeployData, type Hex } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { sendRaw, wallets } from "../support/security/actors.ts";
import { compileAttacker } from "../support/security/compileAttacker.ts";
import {
  askQuote,
  nativeBalance,
  relayerNonce,
  rpc,
  signedTopUp,
  tokenBalance,
  topUp,
  untilSettled,
} from "../support/security/startGasStack.ts";
import { useGasStack } from "../support/security/useGasStack.ts";

const kinds = ["reverts", "burns its gas", "answers with a megabyte", "calls back"];

const gas = useGasStack();
let codes: Hex[];
beforeAll(async () => {
  const compiled = compileAttacker("HostileWallet");
  codes = await Promise.all(
    kinds.map(async (_, kind) => {
      const data = encodeDeployData({ ...compiled, args: [kind, gas.station] });
      const { contractAddress } = await sendRaw(gas.stack, wallets[kind]!, { data });
      return await rpc<Hex>(gas.stack, "eth_getCode", [contractAddress, "latest"]);
    }),
  );
});

describe("C7-12", () => {
  for (const [kind, name] of kinds.entries()) {
    test(`C7-12 a wallet whose code ${name} is refused by the simulation, and nothing is sent`, async () => {
      const person = await gas.newWallet();
      await rpc(gas.stack, "anvil_setCode", [person.address, codes[kind]]);
      const { body: quote } = await askQuote(gas.server, person);
      const nonce = await relayerNonce(gas.stack);
      const answer = await topUp(gas.server, await signedTopUp(person, quote));
      expect([answer.status, answer.body.error.details?.error]).toEqual([422, "GasStation_PayoutFailed"]);
      expect(await relayerNonce(gas.stack)).toBe(nonce);
      expect(await tokenBalance(gas.stack, person.address)).toBe(100_000_000n);
    });

    test(`C7-12 a wallet that gets code which ${name} after the simulation pays nothing and gets nothing`, async () => {
      const { stack, server } = gas;
      const person = await gas.newWallet();
      const { body: quote } = await askQuote(server, person);
      const body = await signedTopUp(person, quote);
      const float = await nativeBalance(stack, gas.station);
      await rpc(stack, "evm_setAutomine", [false]);
      try {
        const sent = await topUp(server, body);
        expect(sent.status).toBe(200);
        await rpc(stack, "anvil_setCode", [person.address, codes[kind]]);
        await rpc(stack, "evm_mine");
        expect((await untilSettled(server, sent.body.hash)).body.status).toBe("failed");
        const receipt = await rpc<{ gasUsed: string }>(stack, "eth_getTransactionReceipt", [sent.body.hash]);
        expect(Number(receipt.gasUsed)).toBeLessThan(300_000);
      } finally {
        await rpc(stack, "evm_setAutomine", [true]);
      }
      expect(await tokenBalance(stack, person.address)).toBe(100_000_000n);
      expect(await nativeBalance(stack, person.address)).toBe(0n);
      expect(await nativeBalance(stack, gas.station)).toBe(float);
    });
  }
});
