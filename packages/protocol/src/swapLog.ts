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

/** A change of a pool's liquidity between two ticks. */
export type LiquidityChange = { owner: string; tickLower: number; tickUpper: number; liquidity: bigint };

/** Decodes a pool's Mint; null if its shape differs. */
export function decodePoolMint(log: RawLog): LiquidityChange | null {
  if (log.topics.length !== 4 || !hasWords(log.data, 4)) return null;
  return {
    owner: topicAddress(log.topics[1]!),
    tickLower: smallIntWord(log.topics[2]!, 0),
    tickUpper: smallIntWord(log.topics[3]!, 0),
    // Word 0 is the sender.
    liquidity: uintWord(log.data, 1),
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
  };
}

/** keccak256("SetFeeProtocol(uint8,uint8,uint8,uint8)") */
export const setFeeProtocolTopic = "0x973d8d92bb299f4af6ce49b52a8adb85ae46b9f214c4c4fc06ac77401237b133";

/** Decodes slot0.feeProtocol after the event: token1's denominator in the high nibble, token0's in the low one. */
export function decodeSetFeeProtocol(log: RawLog): number | null {
  if (!hasWords(log.data, 4)) return null;
  return (smallIntWord(log.data, 3) << 4) | smallIntWord(log.data, 2);
}
