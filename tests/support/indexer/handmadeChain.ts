import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import type { Abi } from "viem";
import { encodeLog, erc20Abi, type GeneratedLog, poolAbi } from "../simulation/encodeLog.ts";
import { emptyState } from "../simulation/generateTx.ts";
import { createRandom } from "../simulation/random.ts";
import { type SimulatedBlock, type SimulatedChain, sealBlock } from "../simulation/simulatedChain.ts";
import { cloneHead, getCloneCode, simulatedManifest } from "../simulation/simulatedManifest.ts";

const zero = `0x${"0".repeat(40)}`;
const person = `0x${"ab".repeat(20)}`;
const supply = 10n ** 27n;

export type HandmadeToken = { address: string; pool: string; isToken0: boolean };
export type SwapWords = { amount0: bigint; amount1: bigint; sqrtPriceX96: bigint; liquidity: bigint; tick: number };

/** A chain whose logs a test writes itself: logs that no honest contract emits, or at unusual moments. */
export function createHandmadeChain() {
  const random = createRandom(15);
  const blocks: SimulatedBlock[] = [];
  const mine = (logs: GeneratedLog[] = [], tx: { created?: string; code?: string } = {}, seconds = 10) => {
    const sent = { hash: random.hex(32), from: person, to: tx.created ? null : person, created: tx.created ?? null };
    const { created, code } = tx;
    const deployed = created && code ? { address: created, code } : null;
    const input = code ? cloneHead + code.slice(2) : "0x";
    const txs = logs.length === 0 ? [] : [{ ...sent, input, deployed, logs }];
    blocks.push(sealBlock(blocks.at(-1), seconds, random.hex(32), txs, emptyState()));
  };
  for (let i = 0; i < 6; i++) mine();
  const splitter = random.hex(20);
  const created = encodeLog(feeSplitterAbi as Abi, splitter, "SplitterCreated", { payees: [person], shares: [10000] });
  const { address: implementation } = simulatedManifest.current.splitter_implementation;
  mine([created], { created: splitter, code: getCloneCode(implementation, [person], [10000]) });
  const chain: SimulatedChain = {
    blocks,
    mine: (seconds) => mine([], {}, seconds),
    reorg: () => undefined,
    head: () => blocks.at(-1)!,
  };

  return {
    chain,
    mine,
    launch(symbol: string, isToken0: boolean): HandmadeToken {
      const address = `0x${isToken0 ? "1" : "f"}${random.hex(20).slice(3)}`;
      const { fee_locker: locker, launch_factory: factory } = simulatedManifest.current;
      const pool = random.hex(20);
      const start = isToken0 ? -203400 : 203400;
      const [tickLower, tickUpper] = isToken0 ? [start, 886800] : [-886800, start];
      const liquidity = 38706924980797090535873n;
      mine([
        encodeLog(poolAbi, pool, "Initialize", { sqrtPriceX96: 1n << 96n, tick: start }),
        encodeLog(erc20Abi, address, "Transfer", { from: zero, to: pool, value: supply }),
        encodeLog(poolAbi, pool, "Mint", {
          sender: locker.address,
          owner: locker.address,
          tickLower,
          tickUpper,
          amount: liquidity,
          amount0: isToken0 ? supply : 0n,
          amount1: isToken0 ? 0n : supply,
        }),
        encodeLog(launchFactoryAbi as Abi, factory.address, "Launched", {
          token: address,
          creator: person,
          splitter,
          pool,
          name: symbol,
          symbol,
          contractURI: "",
          tickStart: start,
          tickLower,
          tickUpper,
          liquidity,
          totalFeeBps: 100,
          protocolFeeBps: 10,
          partner: zero,
          partnerShareBps: 0,
          salt: random.hex(32),
        }),
      ]);
      return { address, pool, isToken0 };
    },
    swap: (pool: string, words: SwapWords) =>
      encodeLog(poolAbi, pool, "Swap", { sender: person, recipient: person, ...words }),
    /** A swap of the ETH/USD pool at a price. By default the pool has enough liquidity to be trusted. */
    ethUsd: (price: number, liquidity = 10n ** 18n) =>
      encodeLog(poolAbi, simulatedManifest.eth_usd!.pool, "Swap", {
        sender: person,
        recipient: person,
        amount0: 1n,
        amount1: -1n,
        liquidity,
        tick: -196000,
        sqrtPriceX96: BigInt(Math.round(Math.sqrt(price * 1e-12) * 2 ** 60)) << 36n,
      }),
  };
}
