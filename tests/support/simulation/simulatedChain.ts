import { keccak256 } from "viem";
import { type ChainState, emptyState, type GeneratedTx, generateTx } from "./generateTx.ts";
import type { Random } from "./random.ts";
import type { ReferenceBlock } from "./reference.ts";

export type SimulatedBlock = Omit<ReferenceBlock, "txs"> & {
  txs: (ReferenceBlock["txs"][number] & Pick<GeneratedTx, "deployed">)[];
  hash: string;
  parentHash: string;
  bloom: string;
  state: ChainState;
};

/** A generated chain that can be mined, forked and queried like a node. */
export type SimulatedChain = {
  /** The canonical blocks, by number. */
  blocks: SimulatedBlock[];
  mine(seconds: number): void;
  /** Replaces the newest blocks with others; some of the dropped transactions occur again. */
  reorg(depth: number, replacements: number): void;
  head(): SimulatedBlock;
};

const genesisTime = 1_790_000_000;

export function createSimulatedChain(random: Random): SimulatedChain {
  const blocks: SimulatedBlock[] = [];
  let orphans: GeneratedTx[] = [];
  let nonce = 0;

  const add = (seconds: number) => {
    const parent = blocks.at(-1);
    const state: ChainState = structuredClone(parent?.state ?? emptyState());
    const number = blocks.length;
    const txs: GeneratedTx[] = [];
    while (orphans.length > 0 && random.chance(0.5)) {
      const orphan = orphans.shift()!;
      // The effect of a transaction depends on the state before; a transaction whose launch is gone reverts.
      if (random.chance(0.6) && orphan.needs.every((token) => state.tokens.some((known) => known.address === token))) {
        if (orphan.apply(state)) txs.push(orphan);
      }
    }
    const count = number < 3 ? 0 : random.pick([0, 0, 1, 1, 1, 2, 3, 5]);
    for (let i = 0; i < count; i++) {
      const tx = generateTx(random, state, number, ++nonce);
      if (tx) txs.push(tx);
    }
    blocks.push(sealBlock(parent, seconds, random.hex(32), txs, state));
    lastTxs.set(blocks.at(-1)!, txs);
  };
  const lastTxs = new Map<SimulatedBlock, GeneratedTx[]>();

  return {
    blocks,
    mine: add,
    reorg: (depth, replacements) => {
      const dropped = blocks.splice(blocks.length - depth, depth);
      orphans = dropped.flatMap((block) => lastTxs.get(block) ?? []);
      for (let i = 0; i < replacements; i++) add(random.integer(0, 20));
    },
    head: () => blocks.at(-1)!,
  };
}

/** A block on top of another, with the logs of its transactions. */
export function sealBlock(
  parent: SimulatedBlock | undefined,
  seconds: number,
  hash: string,
  txs: readonly Pick<GeneratedTx, "hash" | "from" | "to" | "input" | "created" | "deployed" | "logs">[],
  state: ChainState,
): SimulatedBlock {
  const logs = txs
    .flatMap((tx) => tx.logs.map((log) => ({ ...log, txHash: tx.hash })))
    .map((log, logIndex) => ({ ...log, logIndex }));
  return {
    number: parent === undefined ? 0 : parent.number + 1,
    time: (parent?.time ?? genesisTime) + seconds,
    hash,
    parentHash: parent?.hash ?? `0x${"0".repeat(64)}`,
    txs: txs.map(({ logs: _, ...tx }) => ({
      hash: tx.hash,
      from: tx.from,
      to: tx.to,
      input: tx.input,
      created: tx.created,
      deployed: tx.deployed,
    })),
    logs,
    bloom: getBloom(logs),
    state,
  };
}

const bits = new Map<string, number[]>();

function getBloom(logs: readonly { address: string; topics: string[] }[]): string {
  const bytes = new Uint8Array(256);
  for (const log of logs) {
    for (const item of [log.address, ...log.topics]) {
      let positions = bits.get(item);
      if (!positions) {
        const hash = Buffer.from(keccak256(item as `0x${string}`).slice(2), "hex");
        positions = [0, 2, 4].map((i) => hash.readUInt16BE(i) % 2048);
        bits.set(item, positions);
      }
      for (const position of positions) bytes[255 - Math.floor(position / 8)]! |= 1 << (position % 8);
    }
  }
  return `0x${Buffer.from(bytes).toString("hex")}`;
}
