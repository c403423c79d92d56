import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { reorganise } from "../../dev/src/chain/reorganise.ts";
import { creator, ether, keeperWallet, other, payee, trader, useKeeper } from "../support/keeper/useKeeper.ts";
import { sendRaw, wrap } from "../support/security/actors.ts";
import { rpc } from "../support/security/startGasStack.ts";

const keeper = useKeeper();
const { launch, buy, makeFinal, claims, state, wethOf } = keeper;
const transfer = parseAbi(["function transfer(address to, uint256 amount) returns (bool)"]);

describe("C12-01", () => {
  test("C12-01 payees above the bound are paid exactly what they have earned, and pay nothing", async () => {
    const shares: [string, number][] = [
      [payee.address, 6_000],
      [other.address, 3_999],
      [creator.address, 1],
    ];
    const { token, splitter } = await launch(shares);
    await buy(token);
    await makeFinal();
    const locker = keeper.stack.manifest.current.fee_locker.address as Hex;
    const treasury = keeper.stack.manifest.treasury;
    const people = [payee.address, other.address, creator.address, treasury];
    const before = await Promise.all(people.map(wethOf));
    const [balance, nonce] = [await keeper.balance(), await keeper.nonce()];
    const natives = await Promise.all(people.map((who) => rpc(keeper.stack, "eth_getBalance", [who, "latest"])));
    await keeper.run(async () => {
      await keeper.untilSent(splitter);
      const [claim] = await keeper.untilEnded(splitter);
      const after = await Promise.all(people.map(wethOf));
      const gained = after.map((amount, i) => amount - before[i]!);
      const ledger = await keeper.stack.deps.chain.client.readContract({
        address: locker,
        abi: feeLockerAbi,
        functionName: "ledgerOf",
        args: [token, keeper.stack.manifest.wrapped_native.address as Hex],
      });
      const earned = ledger.collaboratorsTotal;
      // The creator's part is below the bound and stays claimable.
      expect(gained).toEqual([(earned * 6_000n) / 10_000n, (earned * 3_999n) / 10_000n, 0n, ledger.protocolTotal]);
      expect(claim).toMatchObject({
        outcome: "paid",
        payees: [payee.address.toLowerCase(), other.address.toLowerCase()],
        worth: (gained[0]! + gained[1]!).toString(),
        paid: (gained[0]! + gained[1]!).toString(),
      });
      expect(await keeper.nonce()).toBe(nonce + 1);
      expect(balance - (await keeper.balance())).toBe(BigInt(claim!.cost!));
      expect(BigInt(claim!.cost!)).toBeLessThanOrEqual(BigInt(claim!.max_cost));
      expect(await wethOf(keeperWallet.address)).toBe(0n);
    });
    expect(await Promise.all(people.map((who) => rpc(keeper.stack, "eth_getBalance", [who, "latest"])))).toEqual(
      natives,
    );
    expect((await state(splitter))?.failures).toBe(0);
  });
});

describe("C12-02", () => {
  test("C12-02 dust and donations cost the keeper nothing", async () => {
    const dusty = await launch();
    await buy(dusty.token, ether);
    const { token, splitter } = await launch();
    await buy(token, ether);
    // Enough volume for a check, but less than the bound for each payee; and a donation above the bound.
    const shared = await launch([
      [payee.address, 5_000],
      [other.address, 5_000],
    ]);
    await buy(shared.token, 4n * ether);
    const weth = keeper.stack.manifest.wrapped_native.address as Hex;
    await wrap(keeper.stack, trader, 2n * ether);
    for (const to of [splitter, shared.splitter]) {
      const data = encodeFunctionData({ abi: transfer, functionName: "transfer", args: [to, ether] });
      await sendRaw(keeper.stack, trader, { to: weth, data });
    }
    await makeFinal();
    const nonce = await keeper.nonce();
    await keeper.run(async () => {
      await keeper.untilChecked(shared.splitter);
      // It is not checked again before its fees have grown by what is missing.
      await expect.poll(async () => (await state(shared.splitter))?.is_paused).toBe(false);
      const { next_fees: next } = (await state(shared.splitter))!;
      expect(BigInt(next)).toBeGreaterThan(4n * (ether / 100n));
    });
    for (const one of [dusty.splitter, splitter, shared.splitter]) expect(await claims(one)).toEqual([]);
    // Their volume alone shows that the others have too little: no request to the chain.
    expect([await state(dusty.splitter), await state(splitter)]).toEqual([undefined, undefined]);
    expect(await keeper.nonce()).toBe(nonce);
  });

  test("C12-02 a splitter that is paid by hand in between gets no second payment", async () => {
    const { token, splitter } = await launch();
    await buy(token);
    await makeFinal();
    const weth = keeper.stack.manifest.wrapped_native.address as Hex;
    const locker = keeper.stack.manifest.current.fee_locker.address;
    await keeper.send(locker, encodeFunctionData({ abi: feeLockerAbi, functionName: "collect", args: [token] }));
    await keeper.send(locker, encodeFunctionData({ abi: feeLockerAbi, functionName: "settle", args: [token, [weth]] }));
    const release = encodeFunctionData({
      abi: feeSplitterAbi,
      functionName: "release",
      args: [[weth], payee.address as Hex],
    });
    await keeper.send(splitter, release);
    // The final block still shows the earnings, the newest one does not.
    await keeper.run(async () => await keeper.untilChecked(splitter));
    expect(await claims(splitter)).toEqual([]);
  });
});

describe("C12-03", () => {
  test("C12-03 fees of the newest blocks are paid only once their blocks are final", async () => {
    const { token, splitter } = await launch();
    await makeFinal();
    await buy(token);
    await keeper.run(async () => {
      await keeper.untilChecked(splitter);
      await expect.poll(async () => (await state(splitter))?.is_paused).toBe(false);
      expect(await claims(splitter)).toEqual([]);
      await makeFinal();
      await keeper.untilSent(splitter);
      await keeper.untilEnded(splitter);
    });
  });
});

describe("C12-04", () => {
  test("C12-04 a price of gas above the maximum, or too high for the pay-out, sends nothing", async () => {
    const { token, splitter } = await launch();
    await buy(token);
    await makeFinal();
    const nonce = await keeper.nonce();
    await keeper.run(
      async ({ deps }) => {
        await expect
          .poll(
            async () =>
              (await deps.metrics.keeperAlarm.get()).values.find((v) => v.labels.alarm === "gas_price")?.value,
          )
          .toBe(1);
      },
      { settings: { KEEPER_MAX_FEE_WEI: "1000" } },
    );
    expect(await state(splitter)).toBeUndefined();
    await keeper.run(async () => await expect.poll(async () => (await state(splitter))?.is_paused).toBe(true), {
      settings: { KEEPER_GAS_MULTIPLE: "1000000" },
    });
    expect([await claims(splitter), await keeper.nonce()]).toEqual([[], nonce]);
    await keeper.run(
      async ({ deps }) => {
        await expect
          .poll(
            async () =>
              (await deps.metrics.keeperAlarm.get()).values.find((v) => v.labels.alarm === "balance_low")?.value,
          )
          .toBe(1);
      },
      { settings: { KEEPER_FLOOR_WEI: (10n ** 24n).toString() } },
    );
    expect(await keeper.nonce()).toBe(nonce);
    await keeper.forget(splitter);
    await keeper.run(async () => {
      await keeper.untilSent(splitter);
      await keeper.untilEnded(splitter);
    });
  });
});

describe("C12-05", () => {
  test("C12-05 a splitter that burns gas or reverts waits longer after each failure, and delays no other", async () => {
    const bad = await launch();
    await buy(bad.token, 30n * ether);
    const good = await launch();
    await buy(good.token);
    await makeFinal();
    const code = await rpc<Hex>(keeper.stack, "eth_getCode", [bad.splitter, "latest"]);
    const nonce = await keeper.nonce();
    // INVALID uses up all gas of a call.
    await rpc(keeper.stack, "anvil_setCode", [bad.splitter, "0xfe"]);
    await makeFinal();
    await keeper.run(async () => {
      await keeper.untilSent(good.splitter);
      await keeper.untilEnded(good.splitter);
      await expect.poll(async () => (await state(bad.splitter)) !== undefined).toBe(true);
    });
    expect([await claims(bad.splitter), await keeper.nonce()]).toEqual([[], nonce + 1]);
    await keeper.forget(bad.splitter);
    // Reads succeed, and the release pays no payee: every call returns the largest number.
    await rpc(keeper.stack, "anvil_setCode", [bad.splitter, "0x60206000526001602052600060405260606000f3"]);
    await makeFinal();
    await keeper.run(async () => {
      await expect.poll(async () => (await state(bad.splitter))?.failures).toBe(1);
      expect((await state(bad.splitter))?.is_paused).toBe(true);
    });
    expect([await claims(bad.splitter), await keeper.nonce()]).toEqual([[], nonce + 1]);
    await rpc(keeper.stack, "anvil_setCode", [bad.splitter, code]);
    await makeFinal();
    await keeper.forget(bad.splitter);
    await keeper.run(async () => {
      await keeper.untilSent(bad.splitter);
      expect((await keeper.untilEnded(bad.splitter))[0]!.outcome).toBe("paid");
    });
  });
});

describe("C12-06", () => {
  test("C12-06 the day's cap holds across restarts and workers", async () => {
    const one = await launch();
    const two = await launch();
    for (const { token } of [one, two]) await buy(token);
    await makeFinal();
    const [row] = await keeper.query<{ spent: string }>(
      "select coalesce(sum(coalesce(cost, max_cost)), 0)::text as spent from app.keeper_claims",
    );
    const nonce = await keeper.nonce();
    // Room for one claim, which takes 300,000 to 450,000 gas at the highest fee, 10 gwei.
    const settings = { KEEPER_DAILY_CAP_WEI: (BigInt(row!.spent) + 5n * 10n ** 15n).toString() };
    const untilCapped = async () =>
      await keeper.run(
        async ({ deps }) =>
          await expect
            .poll(
              async () =>
                (await deps.metrics.keeperChecks.get()).values.find((v) => v.labels.outcome === "cap")?.value ?? 0,
              { timeout: 30_000 },
            )
            .toBeGreaterThan(0),
        { settings, jobs: 3 },
      );
    await untilCapped();
    expect(await keeper.nonce()).toBe(nonce + 1);
    for (const { splitter } of [one, two]) await keeper.forget(splitter);
    await untilCapped();
    expect(await keeper.nonce()).toBe(nonce + 1);
    for (const { splitter } of [one, two]) await keeper.forget(splitter);
    await keeper.run(async () => {
      for (const { splitter } of [one, two]) {
        await keeper.untilSent(splitter);
        await keeper.untilEnded(splitter);
      }
    });
    expect(await keeper.nonce()).toBe(nonce + 2);
  });
});

describe("C12-07", () => {
  test("C12-07 several workers send one claim for each splitter", async () => {
    const launched = [await launch(), await launch(), await launch()];
    for (const { token } of launched) await buy(token);
    await makeFinal();
    const nonce = await keeper.nonce();
    await keeper.run(
      async () => {
        await keeper.run(
          async () => {
            for (const { splitter } of launched) {
              await keeper.untilSent(splitter);
              expect((await keeper.untilEnded(splitter)).map(({ outcome }) => outcome)).toEqual(["paid"]);
            }
          },
          { jobs: 3 },
        );
      },
      { jobs: 3 },
    );
    expect(await keeper.nonce()).toBe(nonce + 3);
  });
});

describe("C12-08", () => {
  test("C12-08 a claim that a reorganisation removes is sent again, and pays once", async () => {
    const { token, splitter } = await launch();
    await buy(token);
    await makeFinal();
    const before = await wethOf(payee.address);
    await keeper.run(async () => {
      await keeper.untilSent(splitter);
      const isMined = async () =>
        (await keeper.query("select state from app.relayer_transactions order by created_at desc limit 1"))[0].state;
      await expect.poll(isMined).toBe("confirmed");
      expect((await claims(splitter))[0]!.outcome).toBeNull();
      await reorganise(keeper.stack.chain.rpcUrl, 2);
      expect(await wethOf(payee.address)).toBe(before);
      await expect.poll(async () => (await wethOf(payee.address)) > before).toBe(true);
      const [claim] = await keeper.untilEnded(splitter);
      expect([claim!.outcome, BigInt(claim!.paid!)]).toEqual(["paid", (await wethOf(payee.address)) - before]);
    });
  });
});

describe("C12-09", () => {
  test("C12-09 a stuck claim is replaced up to its highest fee and never above", async () => {
    const { token, splitter } = await launch();
    await buy(token);
    await makeFinal();
    const settings = { RELAYER_STUCK_MS: "100", RELAYER_MAX_REPLACEMENTS: "20" };
    await rpc(keeper.stack, "evm_setAutomine", [false]);
    try {
      await keeper.run(
        async () => {
          await keeper.untilSent(splitter);
          const read = async () =>
            (
              await keeper.query(
                `select count(*)::int as n, max(a.max_fee) as highest, max(t.max_fee) as bound, max(a.max_fee) * 9 / 8 + 1 > max(t.max_fee) as is_at_bound
                 from app.relayer_attempts a join app.relayer_transactions t on t.id = a.transaction_id
                 join app.keeper_claims c on c.id = t.keeper_claim_id where c.splitter = $1`,
                [splitter.toLowerCase()],
              )
            )[0];
          await expect.poll(async () => (await read()).is_at_bound).toBe(true);
          const { n, highest, bound } = await read();
          expect(n).toBeGreaterThan(1);
          expect(BigInt(highest)).toBeLessThanOrEqual(BigInt(bound));
          await rpc(keeper.stack, "evm_setAutomine", [true]);
          await rpc(keeper.stack, "evm_mine");
          expect((await keeper.untilEnded(splitter)).map(({ outcome }) => outcome)).toEqual(["paid"]);
        },
        { settings },
      );
    } finally {
      await rpc(keeper.stack, "evm_setAutomine", [true]);
    }
  });
});

describe("C12-13", () => {
  test("C12-13 a splitter whose payees are paid just before each claim waits ever longer", async () => {
    const { token, splitter } = await launch();
    const weth = keeper.stack.manifest.wrapped_native.address as Hex;
    const locker = keeper.stack.manifest.current.fee_locker.address;
    const first = [
      [locker, encodeFunctionData({ abi: feeLockerAbi, functionName: "collect", args: [token] })],
      [locker, encodeFunctionData({ abi: feeLockerAbi, functionName: "settle", args: [token, [weth]] })],
      [
        splitter,
        encodeFunctionData({ abi: feeSplitterAbi, functionName: "release", args: [[weth], payee.address as Hex] }),
      ],
    ] as const;
    for (const failures of [1, 2]) {
      await buy(token);
      await makeFinal();
      await keeper.query("update app.keeper_splitters set next_check_at = now()");
      await keeper.run(async () => {
        await rpc(keeper.stack, "evm_setAutomine", [false]);
        try {
          await keeper.untilSent(splitter, failures);
          // A higher tip puts these before the claim.
          await rpc(keeper.stack, "anvil_impersonateAccount", [other.address]);
          for (const [to, data] of first) {
            const call = { from: other.address, to, data, gas: "0x7a120", gasPrice: "0x174876e800" };
            await rpc(keeper.stack, "eth_sendTransaction", [call]);
          }
          await rpc(keeper.stack, "evm_mine");
        } finally {
          await rpc(keeper.stack, "evm_setAutomine", [true]);
        }
        const last = (await keeper.untilEnded(splitter)).at(-1)!;
        expect([last.outcome, last.paid]).toEqual(["paid", "0"]);
        await expect.poll(async () => (await state(splitter))?.failures).toBe(failures);
        // Nothing is left to claim, and the series of failures goes on.
        await keeper.query("update app.keeper_splitters set next_check_at = now() where splitter = $1", [
          splitter.toLowerCase(),
        ]);
        await keeper.untilChecked(splitter);
        expect((await state(splitter))?.failures).toBe(failures);
      });
    }
    await buy(token);
    await makeFinal();
    await keeper.run(async () => {
      await keeper.untilSent(splitter, 3);
      await keeper.untilEnded(splitter);
      await expect.poll(async () => (await state(splitter))?.failures).toBe(0);
    });
  });
});
