import { hasWords, intWord, type RawLog, smallIntWord, topicAddress, uintWord } from "./rawLog.ts";

/** keccak256("Swap(address,address,int256,int256,uint160,uint128,int24)") */
export const swapTopic = "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67";

/** A swap of a Uniswap v3 pool. Amounts paid to the pool are positive; price and tick are those after the swap. */
export type Swap = {
  recipient: string;
  amount0: bigint;
  amount1: bigint;
  sqrtPriceX96: bigint;
  liquidity: bigint;
  tick: number;
};

/** Decodes a Swap log word by word; null if its shape differs. */
export function decodeSwap(log: RawLog): Swap | null {
  if (log.topics.length !== 3 || !hasWords(log.data, 5)) return null;
  return {
    recipient: topicAddress(log.topics[2]!),
    amount0: intWord(log.data, 0),
    amount1: intWord(log.data, 1),
    sqrtPriceX96: uintWord(log.data, 2),
    liquidity: uintWord(log.data, 3),
    tick: smallIntWord(log.data, 4),
  };
}

/** Decodes only amount0 or amount1 of a Swap log, which takes a fifth of the time; null if its shape differs. */
export function decodeSwapAmount(log: RawLog, index: 0 | 1): bigint | null {
  return log.topics.length === 3 && hasWords(log.data, 5) ? intWord(log.data, index) : null;
}

/** keccak256("Initialize(uint160,int24)") */
export const initializeTopic = "0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95";

/** Decodes the first price of a pool; null if its shape differs. */
export function decodeInitialize(log: RawLog): { sqrtPriceX96: bigint; tick: number } | null {
  if (log.topics.length !== 1 || !hasWords(log.data, 2)) return null;
  return { sqrtPriceX96: uintWord(log.data, 0), tick: smallIntWord(log.data, 1) };
}

/** keccak256("Mint(address,address,int24,int24,uint128,uint256,uint256)") */
export const poolMintTopic = "0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde";
/** keccak256("Burn(address,int24,int24,uint128,uint256,uint256)") */
export const poolBurnTopic = "0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c";

/** A change of a pool's liquidity between two ticks, and the amounts that it paid in or owes. */
export type LiquidityChange = PoolAmounts & {
  owner: string;
  tickLower: number;
  tickUpper: number;
  liquidity: bigint;
};

/** Amounts of a pool's two assets in base units. */
export type PoolAmounts = { amount0: bigint; amount1: bigint };

/** Decodes a pool's Mint; null if its shape differs. */
export function decodePoolMint(log: RawLog): LiquidityChange | null {
  if (log.topics.length !== 4 || !hasWords(log.data, 4)) return null;
  return {
    owner: topicAddress(log.topics[1]!),
    tickLower: smallIntWord(log.topics[2]!, 0),
    tickUpper: smallIntWord(log.topics[3]!, 0),
    // Word 0 is the sender.
    liquidity: uintWord(log.data, 1),
    amount0: uintWord(log.data, 2),
    amount1: uintWord(log.data, 3),
  };
}

/** Decodes a pool's Burn; null if its shape differs. */
export function decodePoolBurn(log: RawLog): LiquidityChange | null {
  if (log.topics.length !== 4 || !hasWords(log.data, 3)) return null;
  return {
    owner: topicAddress(log.topics[1]!),
    tickLower: smallIntWord(log.topics[2]!, 0),
    tickUpper: smallIntWord(log.topics[3]!, 0),
    liquidity: uintWord(log.data, 0),
    amount0: uintWord(log.data, 1),
    amount1: uintWord(log.data, 2),
  };
}

/** keccak256("Collect(address,address,int24,int24,uint128,uint128)") */
export const poolCollectTopic = "0x70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0";
/** keccak256("CollectProtocol(address,address,uint128,uint128)") */
export const collectProtocolTopic = "0x596b573906218d3411850b26a6b437d6c4522fdb43d2d2386263f86d50b8b151";
/** keccak256("Flash(address,address,uint256,uint256,uint256,uint256)") */
export const poolFlashTopic = "0xbdbdb71d7860376ba52b25a5028beea23581364a40522f6bcfb86bb1f2dca633";

/** Decodes what a position's owner took out of the pool: fees and burned liquidity; null if its shape differs. */
export function decodePoolCollect(log: RawLog): PoolAmounts | null {
  if (log.topics.length !== 4 || !hasWords(log.data, 3)) return null;
  // Word 0 is the recipient.
  return { amount0: uintWord(log.data, 1), amount1: uintWord(log.data, 2) };
}

/** Decodes what Uniswap's own protocol fee took out of the pool; null if its shape differs. */
export function decodeCollectProtocol(log: RawLog): PoolAmounts | null {
  if (log.topics.length !== 3 || !hasWords(log.data, 2)) return null;
  return { amount0: uintWord(log.data, 0), amount1: uintWord(log.data, 1) };
}

/** Decodes what a flash loan paid for the loan: the pool's gain; null if its shape differs. */
export function decodePoolFlash(log: RawLog): PoolAmounts | null {
  if (log.topics.length !== 3 || !hasWords(log.data, 4)) return null;
  // Words 0 and 1 are the loan.
  return { amount0: uintWord(log.data, 2), amount1: uintWord(log.data, 3) };
}

/** keccak256("SetFeeProtocol(uint8,uint8,uint8,uint8)") */
export const setFeeProtocolTopic = "0x973d8d92bb299f4af6ce49b52a8adb85ae46b9f214c4c4fc06ac77401237b133";

/** Decodes slot0.feeProtocol after the event: token1's denominator in the high nibble, token0's in the low one. */
export function decodeSetFeeProtocol(log: RawLog): number | null {
  if (!hasWords(log.data, 4)) return null;
  return (smallIntWord(log.data, 3) << 4) | smallIntWord(log.data, 2);
}
