import { encodeFunctionData, type Hex, parseAbi, parseSignature } from "viem";
import { describe, expect, test } from "vitest";
import { sendRaw, wallets } from "../support/security/actors.ts";
import { mint, serveAdverseTokens } from "../support/security/adverseTokens.ts";
import {
  askQuote,
  erc20,
  nativeBalance,
  type Person,
  relayerNonce,
  rpc,
  sendFrom,
  signedTopUp,
  signWithEthers,
  topUp,
  untilSettled,
} from "../support/security/startGasStack.ts";
import { useGasStack } from "../support/security/useGasStack.ts";

const permitAbi = parseAbi(["function permit(address,address,uint256,uint256,uint8,bytes32,bytes32)"]);

const gas = useGasStack();

async function expectPaid(
  person: Person,
  body: Record<string, unknown>,
  quote: Record<string, any>,
  server = gas.server,
): Promise<void> {
  const sent = await topUp(server, body);
  expect([sent.status, sent.body.error]).toEqual([200, undefined]);
  expect((await untilSettled(gas.server, sent.body.hash)).body.status).toBe("confirmed");
  expect(await nativeBalance(gas.stack, person.address)).toBe(BigInt(quote.eth_amount));
}

async function approve(person: Person, amount: bigint, token: Hex = gas.stack.stablecoin): Promise<void> {
  await rpc(gas.stack, "anvil_setBalance", [person.address, "0xde0b6b3a7640000"]);
  const data = encodeFunctionData({ abi: erc20, functionName: "approve", args: [gas.station, amount] });
  const receipt = await sendFrom(gas.stack, { account: person.account } as never, { to: token, data });
  expect(receipt.status).toBe("success");
  await rpc(gas.stack, "anvil_setBalance", [person.address, "0x0"]);
}

describe("C7-09", () => {
  test("C7-09 a permit that an attacker used first does not stop the top-up", async () => {
    const person = await gas.newWallet();
    const { body: quote } = await askQuote(gas.server, person);
    const body = await signedTopUp(person, quote);
    const { r, s, yParity } = parseSignature(body.permit_signature as Hex);
    const { owner, spender, value, deadline } = quote.permit_typed_data.message;
    const args = [owner, spender, BigInt(value), BigInt(deadline), 27 + yParity, r, s] as const;
    const data = encodeFunctionData({ abi: permitAbi, functionName: "permit", args });
    const front = await sendRaw(gas.stack, wallets[5]!, { to: gas.stack.stablecoin, data });
    expect(front.status).toBe("success");
    await expectPaid(person, body, quote);
  });

  test("C7-09 a permit used first between the simulation and the block does not stop the top-up", async () => {
    const { stack, server } = gas;
    const person = await gas.newWallet();
    const { body: quote } = await askQuote(server, person);
    const body = await signedTopUp(person, quote);
    const { r, s, yParity } = parseSignature(body.permit_signature as Hex);
    const { owner, spender, value, deadline } = quote.permit_typed_data.message;
    const args = [owner, spender, BigInt(value), BigInt(deadline), 27 + yParity, r, s] as const;
    const data = encodeFunctionData({ abi: permitAbi, functionName: "permit", args });
    await rpc(stack, "evm_setAutomine", [false]);
    try {
      const sent = await topUp(server, body);
      expect(sent.status).toBe(200);
      // Pays more for its place in the block, like a front-runner.
      const price = `0x${(10n ** 12n).toString(16)}`;
      const front = { from: wallets[6]!.address, to: stack.stablecoin, data, gas: "0x30d40", gasPrice: price };
      await rpc(stack, "eth_sendTransaction", [front]);
      await rpc(stack, "evm_mine");
      expect((await untilSettled(server, sent.body.hash)).body.status).toBe("confirmed");
    } finally {
      await rpc(stack, "evm_setAutomine", [true]);
    }
  });

  test("C7-09 without the permit that is needed, or with a wrong one, nothing is sent", async () => {
    const person = await gas.newWallet();
    const { body: quote } = await askQuote(gas.server, person);
    const { permit_signature: permit, ...without } = await signedTopUp(person, quote);
    const nonce = await relayerNonce(gas.stack);
    for (const change of [{}, { permit_signature: without.signature }, { permit_signature: `0x${"22".repeat(65)}` }]) {
      const answer = await topUp(gas.server, { ...without, ...change });
      expect([answer.status, answer.body.error.code, answer.body.error.field]).toEqual([
        422,
        "signature_invalid",
        "permit_signature",
      ]);
    }
    expect(await relayerNonce(gas.stack)).toBe(nonce);
    await expectPaid(person, { ...without, permit_signature: permit }, quote);
  });

  test("C7-09 an allowance that is there already needs no permit", async () => {
    const person = await gas.newWallet();
    await approve(person, 50_000_000n);
    const { body: quote } = await askQuote(gas.server, person);
    expect([quote.needs_permit, quote.permit_typed_data]).toEqual([false, null]);
    await expectPaid(person, await signedTopUp(person, quote, signWithEthers), quote);
  });

  test("C7-09 a permit whose nonce was used meanwhile is refused before any gas is spent", async () => {
    const person = await gas.newWallet();
    const { body: first } = await askQuote(gas.server, person, 60_000);
    const { body: second } = await askQuote(gas.server, person, 90_000);
    await expectPaid(person, await signedTopUp(person, first), first);
    const nonce = await relayerNonce(gas.stack);
    const answer = await topUp(gas.server, await signedTopUp(person, second));
    expect([answer.status, answer.body.error.code]).toEqual([422, "simulation_reverted"]);
    expect(answer.body.error.details.error).toBe("GasStation_InsufficientAllowance");
    expect(await relayerNonce(gas.stack)).toBe(nonce);
  });

  for (const kind of ["noPermit", "daiPermit", "silentPermit"] as const) {
    test(`C7-09 ${kind}: no permit is offered, the quote says what to do instead, and that works`, async () => {
      const adverse = await serveAdverseTokens(gas, { token: { kind } });
      const { server } = adverse;
      const { token } = adverse.tokens;
      try {
        // The manifest trusts the token's own statement; the probe does not.
        expect(server.deps.chain.manifestState().manifest!.gas_station_tokens[1]!.permit).toBe(kind !== "noPermit");
        const person = await gas.newWallet();
        await mint(gas, token, person, 10n ** 9n);
        const { status, body: quote } = await askQuote(server, person, 200_000, token);
        expect([status, quote.needs_top_up, quote.needs_permit]).toEqual([200, true, false]);
        expect([quote.permit_typed_data, quote.next]).toEqual([null, expect.stringMatching(/no permit.*approval/)]);
        const nonce = await relayerNonce(gas.stack);
        const body = await signedTopUp(person, quote);
        const early = await topUp(server, body);
        expect([early.status, early.body.error.details.error]).toEqual([422, "GasStation_InsufficientAllowance"]);
        expect(await relayerNonce(gas.stack)).toBe(nonce);
        await approve(person, BigInt(quote.token_amount), token);
        await expectPaid(person, body, quote, server);
      } finally {
        await server.close();
      }
    });
  }
});
