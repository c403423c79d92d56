import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { type Address, encodeDeployData, parseAbi, parseEther } from "viem";
import { expect, test } from "vitest";
import { useIndexerFixture } from "../../support/indexer/useIndexerFixture.ts";
import { compileAttacker } from "../../support/security/compileAttacker.ts";

const fixture = useIndexerFixture();
const { openDeps, start, untilCaughtUp, expectIndexEqualsChain } = fixture;

const poolAbi = parseAbi(["function liquidity() view returns (uint128)"]);
const fee = 10_000;

/**
 * An attacker initializes the pool of a future launch at exactly its start price and places wrapped native in it. If
 * the wrapped native is token0, a position that begins at the start tick needs none of the token and is in range.
 */
async function launchIntoAnEarlyPool() {
  const chain = fixture.chain();
  const { abi, bytecode } = compileAttacker("EarlyLiquidity");
  const deployed = await chain.send(5, { data: encodeDeployData({ abi, bytecode, args: [chain.weth] }) });
  const attacker = { address: deployed.contractAddress!, abi } as const;
  const splitter = await chain.splitter([chain.accounts[0]!.address], [10_000]);
  // A name for which the token sorts after the wrapped native.
  let name = "";
  let predicted: { token: Address; pool: Address };
  do {
    name += "E";
    predicted = await chain.predict(name, "EARLY", splitter);
  } while (predicted.token.toLowerCase() < chain.weth.toLowerCase());
  const { token, pool } = predicted;
  const startTick = chain.manifest.current.start_tick;
  const write = (functionName: string, args: unknown[], value?: bigint) =>
    chain.write(5, { ...attacker, functionName, args, value } as never);
  await write("open", [chain.manifest.uniswap.factory.address, token, fee, sqrtPriceX96AtTick(startTick)]);
  await write("place", [pool, startTick, startTick + 400, 3n * 10n ** 18n], parseEther("1000"));
  await write("place", [pool, startTick + 400, startTick + 800, 10n ** 18n], parseEther("1000"));
  await write("take", [pool, startTick, startTick + 400, 10n ** 18n]);
  // The factory accepts such a pool: it does not change the terms of the launch.
  const launched = await chain.launch(name, "EARLY", splitter);
  expect(launched).toMatchObject({ token, pool });
  return { token, pool };
}

async function expectLiquidity(deps: Awaited<ReturnType<typeof openDeps>>, pool: Address): Promise<void> {
  const liquidity = await fixture
    .chain()
    .client.readContract({ address: pool, abi: poolAbi, functionName: "liquidity" });
  expect(liquidity).toBe(2n * 10n ** 18n);
  const { rows } = await deps.db.indexer.query(
    "select s.liquidity from chain.token_state s join chain.tokens t on t.id = s.token_id where t.pool = $1",
    [pool.toLowerCase()],
  );
  expect(rows).toEqual([{ liquidity: String(liquidity) }]);
}

test("C8-01 the index includes liquidity that was placed in a pool before its token existed, live and backfilled", async () => {
  const live = await openDeps();
  const following = start(live);
  await untilCaughtUp(following);
  const { pool } = await launchIntoAnEarlyPool();
  await untilCaughtUp(following);
  await expectLiquidity(live, pool);
  await expectIndexEqualsChain(live);

  await fixture.chain().test.increaseTime({ seconds: 600 });
  await fixture.chain().mine(250);
  const late = await openDeps({ env: { REORG_WINDOW_SECONDS: "10" } });
  await untilCaughtUp(start(late));
  await expectLiquidity(late, pool);
  await expectIndexEqualsChain(late);
});
