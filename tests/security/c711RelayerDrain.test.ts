import { encodeFunctionData, type Hex } from "viem";
import { describe, expect, test, vi } from "vitest";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import { wallets } from "../support/security/actors.ts";
import { blacklistCall, mint, serveAdverseTokens } from "../support/security/adverseTokens.ts";
import {
  asItself,
  askQuote,
  erc20,
  gasSettings,
  nativeBalance,
  type Person,
  rpc,
  sendAs,
  signedTopUp,
  tokenBalance,
  topUp,
  untilMined,
  untilSettled,
} from "../support/security/startGasStack.ts";
import type { Server } from "../support/security/startTestStack.ts";
import { useGasStack } from "../support/security/useGasStack.ts";

const gas = useGasStack();

const relayer = getWallet("relayer").address;
/** The maximum cost of a revert: the station reverts at the first failed check. */
const maxGasOfRevert = 150_000n;

/** A top-up whose simulation succeeds, and that an attacker's earlier transaction in the same block then makes fail. */
async function drainOnce(server: Server, person: Person, token: Hex, spoil: () => { from: Hex; to: Hex; data: Hex }) {
  const { stack } = gas;
  const { status, body: quote } = await askQuote(server, person, 200_000, token);
  expect(status).toBe(200);
  const body = await signedTopUp(person, quote);
  const before = await nativeBalance(stack, relayer);
  await rpc(stack, "evm_setAutomine", [false]);
  try {
    const sent = await topUp(server, body);
    if (sent.status !== 200) return { sent, loss: 0n, price: BigInt(quote.gas_price) };
    const attack = spoil();
    // Pays enough to precede the top-up in the block.
    await asItself(stack, attack.from, async () => {
      const hash = await rpc<Hex>(stack, "eth_sendTransaction", [
        { ...attack, gas: "0x30d40", gasPrice: "0x174876e800" },
      ]);
      await rpc(stack, "evm_mine");
      await untilMined(stack, hash);
    });
    const settled = await untilSettled(server, sent.body.hash);
    expect(settled.body.status).toBe("failed");
    return { sent, loss: before - (await nativeBalance(stack, relayer)), price: BigInt(quote.gas_price) };
  } finally {
    await rpc(stack, "evm_setAutomine", [true]);
  }
}

/** Waits until the job has recorded the mined result: from then on, a foreign revert counts against an address. */
async function untilNoted(): Promise<void> {
  const unmined = "select 1 from app.relayer_transactions where state = 'sent'";
  await vi.waitFor(async () => expect((await gas.stack.deps.db.read.query(unmined)).rowCount).toBe(0), 60_000);
}

const moveAway = (person: Person, token: Hex) => ({
  from: person.address,
  to: token,
  data: encodeFunctionData({ abi: erc20, functionName: "transfer", args: [wallets[3]!.address, 100_000_000n] }),
});

describe("C7-11", () => {
  test("C7-11 tokens moved, allowance revoked or wallet black-listed after the simulation: only a revert's gas is lost", async () => {
    const { stack } = gas;
    const adverse = await serveAdverseTokens(gas, { listed: { kind: "permit" } });
    try {
      const { listed } = adverse.tokens;
      const mover = await gas.newWallet();
      const revoker = await gas.newWallet();
      const villain = await gas.newWallet();
      await mint(gas, listed, villain, 10n ** 9n);
      const revoke = { abi: erc20, functionName: "approve", args: [gas.station, 0n] } as const;
      const attacks = [
        () => drainOnce(gas.server, mover, stack.stablecoin, () => moveAway(mover, stack.stablecoin)),
        async () => {
          const data = encodeFunctionData({ ...revoke, args: [gas.station, 10n ** 9n] });
          await sendAs(stack, { from: revoker.address, to: stack.stablecoin, data });
          const spoil = { from: revoker.address, to: stack.stablecoin, data: encodeFunctionData(revoke) };
          return await drainOnce(gas.server, revoker, stack.stablecoin, () => spoil);
        },
        () =>
          drainOnce(adverse.server, villain, listed, () => ({
            from: wallets[9]!.address,
            to: listed,
            data: blacklistCall(villain),
          })),
      ];
      const float = await nativeBalance(stack, gas.station);
      for (const attack of attacks) {
        const { sent, loss, price } = await attack();
        expect(sent.status).toBe(200);
        expect(loss).toBeGreaterThan(0n);
        expect(loss).toBeLessThanOrEqual(maxGasOfRevert * price);
      }
      expect(await nativeBalance(stack, gas.station)).toBe(float);
      expect(await tokenBalance(stack, villain.address, listed)).toBe(10n ** 9n);
    } finally {
      await adverse.server.close();
      // The impersonated development account was emptied.
      await rpc(stack, "anvil_setBalance", [wallets[9]!.address, "0x21e19e0c9bab2400000"]);
    }
  });

  test("C7-11 five failed tries of a wallet, then the sixth is refused before it costs anything", async () => {
    const server = await gas.stack.openServer({
      ...gasSettings,
      GAS_STATION_FAILURE_BUDGET: "1000",
      GAS_STATION_WALLET_BUDGET: "5",
    });
    try {
      const person = await gas.newWallet();
      for (let turn = 0; turn < 6; turn++) {
        const { sent } = await drainOnce(server, person, gas.stack.stablecoin, () =>
          moveAway(person, gas.stack.stablecoin),
        );
        if (turn === 5) {
          expect([sent.status, sent.body.error.code]).toEqual([429, "rate_limited"]);
          break;
        }
        expect(sent.status).toBe(200);
        await returnTokens(person);
      }
    } finally {
      await server.close();
    }
  });

  test("C7-11 five failed tries from an address with fresh wallets, then the sixth wallet is refused", async () => {
    const { stack } = gas;
    await stack.deps.db.api.query("update app.relayer_transactions set client_address = 'elsewhere'");
    const server = await stack.openServer({ ...gasSettings, GAS_STATION_FAILURE_BUDGET: "5" });
    try {
      for (let turn = 0; turn < 6; turn++) {
        const person = await gas.newWallet();
        const { sent } = await drainOnce(server, person, stack.stablecoin, () => moveAway(person, stack.stablecoin));
        expect([turn, sent.status]).toEqual([turn, turn === 5 ? 429 : 200]);
        await untilNoted();
      }
    } finally {
      await server.close();
    }
  });

  test("C7-11 a wallet has one top-up under way: a second one with the same tokens waits", async () => {
    const { stack, server } = gas;
    const person = await gas.newWallet(1_000_000n);
    const first = (await askQuote(server, person)).body;
    const second = (await askQuote(server, person)).body;
    const bodies = [await signedTopUp(person, first), await signedTopUp(person, second)];
    await rpc(stack, "evm_setAutomine", [false]);
    try {
      const answers = await Promise.all(bodies.map((body) => topUp(server, body)));
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 429]);
    } finally {
      await rpc(stack, "evm_setAutomine", [true]);
      await rpc(stack, "evm_mine");
    }
  });

  test("C7-11 a wallet whose last top-up is mined need not wait for the relayer's next turn", async () => {
    const server = await gas.stack.openServer(gasSettings);
    const person = await gas.newWallet();
    try {
      await gas.pauseJob(async () => {
        for (const gasLimit of [50_000, 100_000, 150_000]) {
          const { body: quote } = await askQuote(server, person, gasLimit);
          const sent = await topUp(server, await signedTopUp(person, quote));
          expect(sent.status).toBe(200);
          // The permit of the next quote must contain the nonce after this one.
          await untilMined(gas.stack, sent.body.hash);
        }
      });
    } finally {
      await server.close();
    }
  });

  test("C7-11 the day's cap closes the endpoints with 503 and GET /config says so", async () => {
    const { stack } = gas;
    const open = await stack.openServer(gasSettings);
    const person = await gas.newWallet();
    const { body: quote } = await askQuote(open, person);
    const body = await signedTopUp(person, quote);
    await open.close();
    const { rows } = await stack.deps.db.read.query(
      "select count(*) as n from app.relayer_transactions where state <> 'failed'",
    );
    expect(rows[0].n).toBeGreaterThan(0);
    const server = await stack.openServer({ ...gasSettings, GAS_STATION_DAILY_CAP_WEI: "1" });
    try {
      for (const answer of [await askQuote(server, person), await topUp(server, body)]) {
        expect([answer.status, answer.body.error.code]).toEqual([503, "gas_station_unavailable"]);
      }
      const config = await server.call("GET", "/config");
      expect(config.body.gas_station.available).toBe(false);
      expect(config.body.capabilities.gas_station).toEqual({ configured: true, reason: "The day's cap is used up." });
    } finally {
      await server.close();
    }
  });
});

/** Returns the tokens to a drained wallet. */
async function returnTokens(person: Person): Promise<void> {
  const { stack } = gas;
  const data = encodeFunctionData({ abi: erc20, functionName: "transfer", args: [person.address, 100_000_000n] });
  await sendAs(stack, { from: wallets[3]!.address, to: stack.stablecoin, data });
}
