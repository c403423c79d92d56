import { type Address, encodeFunctionData, erc20Abi, keccak256, maxUint256, parseAbi } from "viem";
import { computePoolAddress } from "./computePoolAddress.ts";
import { DeployError } from "./deployError.ts";
import type { Deployer } from "./deployer.ts";
import { readVendoredArtifact } from "./readArtifact.ts";

export type EthUsdPoolSettings = {
  factory: Address;
  positionManager: Address;
  wrappedNative: Address;
  stablecoin: Address;
  stablecoinDecimals: number;
  /** The value of one native, in whole dollars. */
  usdPerNative: bigint;
  /** The native side of the pool, which the deployer wraps; the deployer must own the stablecoin for the other side. */
  nativeInWei: bigint;
  /** The number of observations that the pool's oracle stores. */
  observations?: number;
};

export type EthUsdPool = { pool: Address; fee: number };

const fee = 500;
/** The outermost multiple of 10, the tick spacing of the 0.05% tier. */
const outermostTick = 887_270;
/** At most one observation is written a second: more than ten minutes. */
const defaultObservations = 640;
/** Each costs 22,200 gas; EIP-7825 limits a transaction to 2^24 gas. */
const observationsPerTransaction = 320;

const positionManagerAbi = parseAbi([
  "function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address)",
  "struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }",
  "function mint(MintParams params) payable returns (uint256, uint128, uint256, uint256)",
]);
const wrappedNativeAbi = parseAbi(["function deposit() payable"]);
const poolAbi = parseAbi(["function increaseObservationCardinalityNext(uint16)"]);

/**
 * Opens the 0.05% pool of wrapped native and a stablecoin at a price with liquidity over the whole range, and extends
 * its oracle so that it returns a time-weighted price of ten minutes once the pool is that old. For local chains only:
 * on a public chain the pool already exists.
 *
 * @throws DeployError `invalid_option` for a price or an amount that is not positive.
 */
export async function deployEthUsdPool(deployer: Deployer, settings: EthUsdPoolSettings): Promise<EthUsdPool> {
  const { wrappedNative, stablecoin, positionManager, nativeInWei } = settings;
  if (settings.usdPerNative <= 0n || nativeInWei <= 0n) {
    throw new DeployError("invalid_option", "the ETH/USD pool needs a positive price and a positive amount");
  }
  const stablecoinUnits =
    (nativeInWei * settings.usdPerNative * 10n ** BigInt(settings.stablecoinDecimals)) / 10n ** 18n;
  const nativeIsToken0 = BigInt(wrappedNative) < BigInt(stablecoin);
  const [token0, token1] = nativeIsToken0 ? [wrappedNative, stablecoin] : [stablecoin, wrappedNative];
  const [amount0, amount1] = nativeIsToken0 ? [nativeInWei, stablecoinUnits] : [stablecoinUnits, nativeInWei];
  const pool = computePoolAddress(
    settings.factory,
    token0,
    token1,
    fee,
    keccak256(readVendoredArtifact("uniswap-v3/UniswapV3Pool").bytecode),
  );

  await deployer.send("eth_usd_wrap", {
    to: wrappedNative,
    data: encodeFunctionData({ abi: wrappedNativeAbi, functionName: "deposit" }),
    valueInWei: nativeInWei,
  });
  for (const [step, token, amount] of [
    ["eth_usd_approve_native", wrappedNative, nativeInWei],
    ["eth_usd_approve_stablecoin", stablecoin, stablecoinUnits],
  ] as const) {
    await deployer.send(step, {
      to: token,
      data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [positionManager, amount] }),
    });
  }
  await deployer.send("eth_usd_open", {
    to: positionManager,
    data: encodeFunctionData({
      abi: positionManagerAbi,
      functionName: "createAndInitializePoolIfNecessary",
      // sqrt(amount1 / amount0) is the price at which both amounts are worth the same.
      args: [token0, token1, fee, integerSqrt((amount1 << 192n) / amount0)],
    }),
  });
  await deployer.send("eth_usd_mint", {
    to: positionManager,
    data: encodeFunctionData({
      abi: positionManagerAbi,
      functionName: "mint",
      args: [
        {
          token0,
          token1,
          fee,
          tickLower: -outermostTick,
          tickUpper: outermostTick,
          amount0Desired: amount0,
          amount1Desired: amount1,
          amount0Min: 0n,
          amount1Min: 0n,
          recipient: deployer.address,
          deadline: maxUint256,
        },
      ],
    }),
  });
  const observations = settings.observations ?? defaultObservations;
  for (let grown = 0; grown < observations; ) {
    grown = Math.min(grown + observationsPerTransaction, observations);
    await deployer.send(`eth_usd_observations_${grown}`, {
      to: pool,
      data: encodeFunctionData({ abi: poolAbi, functionName: "increaseObservationCardinalityNext", args: [grown] }),
    });
  }
  return { pool, fee };
}

function integerSqrt(value: bigint): bigint {
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}
