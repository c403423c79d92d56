import { once } from "node:events";
import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import type { Hex } from "viem";
import { expect, test } from "vitest";
import { keeperSettings, type Launched, other, useKeeper } from "../support/keeper/useKeeper.ts";
import { createRandom } from "../support/security/random.ts";
import { getProcessSettings } from "../support/security/serverProcess.ts";
import { startMain } from "../support/security/startMain.ts";
import { getVolume } from "../support/volume.ts";

const lives = getVolume(24, "KEEPER_KILLS", 8);
/** The most statements and requests of a life until it is killed: the jobs of the worker take some of them. */
const maxSteps = 400;

const keeper = useKeeper();

test("C12-11 kill -9 before any statement or request: each earning is paid once, and no claim is sent twice", async () => {
  const random = createRandom(Number(process.env.KEEPER_SEED ?? 1211));
  const { config } = keeper.stack.deps;
  const environment = () => ({
    ...keeperSettings,
    ...getProcessSettings(config),
  });
  const nonce = await keeper.nonce();
  const before = await keeper.wethOf(other.address);
  const launched: Launched[] = [];
  for (let life = 0; life < lives; life++) {
    const one = await keeper.launch([[other.address, 10_000]]);
    launched.push(one);
    await keeper.buy(one.token);
    await keeper.makeFinal();
    const server = await startMain(environment, "killAtStep");
    const ended = once(server.child, "exit");
    server.child.send(1 + random.below(maxSteps));
    await ended;
    expect(server.child.signalCode).toBe("SIGKILL");
    // The claims of earlier lives become final: the kill can also hit their end.
    await keeper.makeFinal();
  }
  // The splitters that a killed worker has taken are due again at once.
  await keeper.query("update app.keeper_splitters set next_check_at = now()");
  await keeper.run(async () => {
    for (const { splitter } of launched) {
      await expect
        .poll(async () => (await keeper.claims(splitter)).length, { timeout: 60_000, interval: 50 })
        .toBeGreaterThan(0);
      await keeper.untilEnded(splitter);
    }
  });
  const weth = keeper.stack.manifest.wrapped_native.address as Hex;
  let earned = 0n;
  for (const { token, splitter } of launched) {
    const claims = await keeper.claims(splitter);
    expect(claims.map(({ outcome }) => outcome)).toEqual(["paid"]);
    const ledger = await keeper.stack.deps.chain.client.readContract({
      address: keeper.stack.manifest.current.fee_locker.address as Hex,
      abi: feeLockerAbi,
      functionName: "ledgerOf",
      args: [token, weth],
    });
    expect(BigInt(claims[0]!.paid!)).toBe(ledger.collaboratorsTotal);
    earned += ledger.collaboratorsTotal;
  }
  expect((await keeper.wethOf(other.address)) - before).toBe(earned);
  expect((await keeper.nonce()) - nonce).toBe(launched.length);
}, 400_000);
