import { Contract, type EventLog, type JsonRpcProvider } from "ethers";

/** A swap in the chain's logs; prices are for one whole token in ETH. */
export type ChainSwap = {
  id: string;
  hash: string;
  blockNumber: number;
  logIndex: number;
  time: number;
  side: "buy" | "sell";
  maker: string;
  recipient: string;
  tokenAmount: bigint;
  quoteAmount: bigint;
  /** The pool's price after the swap. */
  poolPriceEth: number;
};

const poolAbi = [
  "event Initialize(uint160 sqrtPriceX96, int24 tick)",
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
  "function slot0() view returns (uint160 sqrtPriceX96, int24, uint16, uint16, uint16, uint8, bool)",
];

const absolute = (value: bigint) => (value < 0n ? -value : value);

/** Returns the price of one whole token0 or token1 from a pool's square root; both assets have the same decimals. */
function getPrice(sqrtPriceX96: bigint, baseIsToken0: boolean): number {
  const ratio = (Number(sqrtPriceX96) / 2 ** 96) ** 2;
  return baseIsToken0 ? ratio : 1 / ratio;
}

/** Returns the price at which a pool was opened. */
export async function startPrice(provider: JsonRpcProvider, pool: string, tokenIsToken0: boolean): Promise<number> {
  const contract = new Contract(pool, poolAbi, provider);
  const [log] = (await contract.queryFilter("Initialize", 0)) as EventLog[];
  return getPrice(log!.args.getValue("sqrtPriceX96"), tokenIsToken0);
}

/** Returns every swap of a pool with non-zero amounts, oldest first, read only with `eth_getLogs`. */
export async function chainSwaps(
  provider: JsonRpcProvider,
  pool: string,
  tokenIsToken0: boolean,
): Promise<ChainSwap[]> {
  const contract = new Contract(pool, poolAbi, provider);
  const logs = (await contract.queryFilter("Swap", 0)) as EventLog[];
  const swaps = await Promise.all(
    logs.map(async (log): Promise<ChainSwap> => {
      const [block, transaction] = await Promise.all([log.getBlock(), log.getTransaction()]);
      const amounts = [log.args.getValue("amount0"), log.args.getValue("amount1")] as [bigint, bigint];
      const [token, quote] = tokenIsToken0 ? amounts : [amounts[1], amounts[0]];
      return {
        id: `${log.transactionHash}:${log.index}`,
        hash: log.transactionHash,
        blockNumber: log.blockNumber,
        logIndex: log.index,
        time: block.timestamp,
        side: quote > 0n ? "buy" : "sell",
        maker: transaction.from,
        recipient: log.args.getValue("recipient"),
        tokenAmount: absolute(token),
        quoteAmount: absolute(quote),
        poolPriceEth: getPrice(log.args.getValue("sqrtPriceX96"), tokenIsToken0),
      };
    }),
  );
  return swaps.filter(({ tokenAmount, quoteAmount }) => tokenAmount > 0n && quoteAmount > 0n);
}

/** Returns the current USD price of one ETH from the ETH/USD pool. */
export async function getEthUsd(
  provider: JsonRpcProvider,
  source: { pool: string; stablecoin: { address: string }; stablecoin_decimals: number },
  weth: string,
): Promise<number> {
  const { sqrtPriceX96 } = await new Contract(source.pool, poolAbi, provider).getFunction("slot0")();
  const ethIsToken0 = BigInt(weth) < BigInt(source.stablecoin.address);
  return getPrice(sqrtPriceX96, ethIsToken0) * 10 ** (18 - source.stablecoin_decimals);
}
