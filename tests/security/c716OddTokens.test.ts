import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import { mint, serveAdverseTokens, type tokenKinds } from "../support/security/adverseTokens.ts";
import {
  askQuote,
  erc20,
  gasSettings,
  nativeBalance,
  relayerNonce,
  rpc,
  sendFrom,
  signedTopUp,
  tokenBalance,
  topUp,
  untilSettled,
} from "../support/security/startGasStack.ts";
import type { Server } from "../support/security/startTestStack.ts";
import { useGasStack } from "../support/security/useGasStack.ts";
import { withChangedContract } from "../support/security/withChangedContract.ts";

const bad = ["feeOnTransfer", "paused", "rebasing", "returnsFalse"] as const;
const good: Record<string, { kind: keyof typeof tokenKinds; decimals: number }> = {
  zero: { kind: "permit", decimals: 0 },
  six: { kind: "permit", decimals: 6 },
  eighteen: { kind: "permit", decimals: 18 },
  twentyFour: { kind: "permit", decimals: 24 },
  noReturn: { kind: "noReturn", decimals: 6 },
};

const gas = useGasStack();
let server: Server;
let tokens: Record<string, `0x${string}`>;
beforeAll(async () => {
  const all = { ...Object.fromEntries(bad.map((kind) => [kind, { kind }])), ...good };
  ({ server, tokens } = await serveAdverseTokens(gas, all));
});
afterAll(async () => {
  await server?.close();
});

describe("C7-16", () => {
  for (const kind of bad) {
    test(`C7-16 a ${kind} token is refused by the simulation, and nothing is sent`, async () => {
      const token = tokens[kind]!;
      const person = await gas.newWallet();
      await mint(gas, token, person, 10n ** 9n);
      const { body: quote } = await askQuote(server, person, 200_000, token);
      const nonce = await relayerNonce(gas.stack);
      const answer = await topUp(server, await signedTopUp(person, quote));
      expect(answer.status).toBe(422);
      expect(answer.body.error.details.error).toMatch(/^GasStation_(UnderPaid|PullFailed)$/);
      expect(await relayerNonce(gas.stack)).toBe(nonce);
      expect(await tokenBalance(gas.stack, person.address, token)).toBe(10n ** 9n);
    });
  }

  for (const [name, { decimals }] of Object.entries(good)) {
    test(`C7-16 a token ${name} (${decimals} decimals) is priced exactly, rounded up, and taken exactly`, async () => {
      const token = tokens[name]!;
      const unit = 10n ** BigInt(decimals);
      const person = await gas.newWallet();
      await mint(gas, token, person, 1_000n * unit);
      const { body: plain } = await askQuote(server, person, 200_000);
      const { body: quote } = await askQuote(server, person, 200_000, token);
      // Compared with the pool's stablecoin of six decimals: never cheaper, and more expensive only by rounding.
      const scaled = (BigInt(plain.token_amount) * unit) / 10n ** 6n;
      const asked = BigInt(quote.token_amount);
      const rounding = 2n * (unit > 10n ** 6n ? unit / 10n ** 6n : 1n);
      if (plain.gas_price === quote.gas_price) {
        expect(asked).toBeGreaterThanOrEqual(scaled - rounding);
        expect(asked).toBeLessThanOrEqual(scaled + rounding);
      }
      const treasury = getWallet("treasury").address;
      const before = await tokenBalance(gas.stack, treasury, token);
      if (!quote.needs_permit) {
        await rpc(gas.stack, "anvil_setBalance", [person.address, "0xde0b6b3a7640000"]);
        const data = encodeFunctionData({ abi: erc20, functionName: "approve", args: [gas.station, asked] });
        await sendFrom(gas.stack, { account: person.account } as never, { to: token, data });
        await rpc(gas.stack, "anvil_setBalance", [person.address, "0x0"]);
      }
      const sent = await topUp(server, await signedTopUp(person, quote));
      expect([sent.status, sent.body.error]).toEqual([200, undefined]);
      expect((await untilSettled(gas.server, sent.body.hash)).body.status).toBe("confirmed");
      expect((await tokenBalance(gas.stack, treasury, token)) - before).toBe(asked);
      expect(await tokenBalance(gas.stack, person.address, token)).toBe(1_000n * unit - asked);
      expect(await nativeBalance(gas.stack, person.address)).toBe(BigInt(quote.eth_amount));
    });
  }

  test("C7-16 a wallet with too few tokens is answered with what it lacks", async () => {
    const person = await gas.newWallet(1n);
    const { body: quote } = await askQuote(gas.server, person);
    const answer = await topUp(gas.server, await signedTopUp(person, quote));
    expect([answer.status, answer.body.error.code]).toEqual([422, "insufficient_balance"]);
    expect(answer.body.error.details).toEqual({
      asset: gas.stack.stablecoin,
      needed: quote.token_amount,
      available: "1",
    });
  });

  test("C7-16 a token whose code has changed is refused alone", async () => {
    const { path, sha256 } = { path: server.deps.config.MANIFEST_PATH!, sha256: server.deps.config.MANIFEST_SHA256! };
    const token = tokens.eighteen!;
    await withChangedContract(gas.stack, { address: token, code: "0x60006000fd" }, async () => {
      const changed = await gas.stack.openServer({ ...gasSettings, MANIFEST_PATH: path, MANIFEST_SHA256: sha256 });
      try {
        const person = await gas.newWallet();
        const refused = await askQuote(changed, person, 200_000, token);
        expect([refused.status, refused.body.error.code]).toEqual([503, "gas_station_unavailable"]);
        expect((await askQuote(changed, person, 200_000, tokens.six)).status).toBe(200);
        expect((await askQuote(changed, person)).status).toBe(200);
        const { body: config } = await changed.call("GET", "/config");
        expect(config.gas_station.available).toBe(true);
        const listed = config.gas_station.tokens.map(({ address }: { address: string }) => address.toLowerCase());
        expect(listed).not.toContain(token.toLowerCase());
        expect(listed).toContain(tokens.six!.toLowerCase());
      } finally {
        await changed.close();
      }
    });
  });
});
