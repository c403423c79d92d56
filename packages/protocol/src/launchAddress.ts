import { concatHex, encodeAbiParameters, getCreate2Address, type Hex, keccak256, pad, toBytes } from "viem";
import { launchFactoryAbi } from "./contracts/launchFactory.ts";
import { toPoolFee } from "./feeTiers.ts";
import type { Manifest } from "./manifest.ts";

/** The `LaunchParams` of LaunchFactory, as viem encodes them. */
export type LaunchParams = {
  name: string;
  symbol: string;
  contractURI: string;
  splitter: Hex;
  salt: Hex;
  partner: Hex;
  /** The fee of the pool in basis points. */
  feeBps: number;
};

/** The inputs of a launch's addresses besides its parameters. */
export type LaunchAddressContext = {
  launchFactory: Hex;
  feeLocker: Hex;
  uniswapFactory: Hex;
  poolInitCodeHash: Hex;
  wrappedNative: Hex;
  /** The pinned creation code of LaunchToken, without arguments. */
  tokenCreationCode: Hex;
};

/** The inputs of a token's address besides the parameters of its launch. */
export type TokenAddressContext = Pick<LaunchAddressContext, "launchFactory" | "feeLocker" | "tokenCreationCode">;

const launchInputs = launchFactoryAbi.find((entry) => entry.type === "function" && entry.name === "launch")!;
const paramsType = (launchInputs as unknown as { inputs: [{ type: "tuple"; components: { name: string }[] }] })
  .inputs[0];
const paramNames = paramsType.components.map(({ name }) => name);
const wordBytes = 32;
const addressBytes = 20;
/** An encoded tuple with dynamic fields begins with its offset. */
const paramsStart = wordBytes;
const tokenArguments = [{ type: "string" }, { type: "string" }, { type: "string" }, { type: "address" }] as const;

/** keccak256(abi.encode(creator, salt, keccak256(abi.encode(params)))): the salt binds the caller and every parameter. */
export function effectiveSalt(creator: Hex, params: LaunchParams): Hex {
  const paramsHash = keccak256(encodeAbiParameters([paramsType], [params] as never));
  return keccak256(
    encodeAbiParameters(
      [{ type: "address" }, { type: "bytes32" }, { type: "bytes32" }],
      [creator, params.salt, paramsHash],
    ),
  );
}

/** The context of the pinned contracts of a manifest. */
export function toLaunchAddressContext(
  { current, uniswap, wrapped_native }: Manifest,
  tokenCreationCode: Hex,
): LaunchAddressContext {
  return {
    launchFactory: current.launch_factory.address as Hex,
    feeLocker: current.fee_locker.address as Hex,
    uniswapFactory: uniswap.factory.address as Hex,
    poolInitCodeHash: uniswap.pool_init_code_hash as Hex,
    wrappedNative: wrapped_native.address as Hex,
    tokenCreationCode,
  };
}

/** Computes the Uniswap v3 pool address of two tokens in any order (CREATE2 of the factory). */
export function poolAddress(uniswapFactory: Hex, poolInitCodeHash: Hex, tokenA: Hex, tokenB: Hex, fee: number): Hex {
  const [token0, token1] = tokenA.toLowerCase() < tokenB.toLowerCase() ? [tokenA, tokenB] : [tokenB, tokenA];
  const salt = keccak256(
    encodeAbiParameters([{ type: "address" }, { type: "address" }, { type: "uint24" }], [token0, token1, fee]),
  );
  return getCreate2Address({ from: uniswapFactory, salt, bytecodeHash: poolInitCodeHash });
}

/**
 * Predicts the token and pool addresses of a launch by `creator` from the pinned creation code with its arguments
 * (contracts/README.md).
 */
export function launchAddress(
  context: LaunchAddressContext,
  creator: Hex,
  params: LaunchParams,
): { token: Hex; pool: Hex } {
  const token = getCreate2Address({
    from: context.launchFactory,
    salt: effectiveSalt(creator, params),
    bytecodeHash: hashInitCode(context, params),
  });
  const pool = poolAddress(
    context.uniswapFactory,
    context.poolInitCodeHash,
    token,
    context.wrappedNative,
    toPoolFee(params.feeBps),
  );
  return { token, pool };
}

/**
 * Creates a function that predicts the token of a launch with another salt. It hashes what does not depend on the salt
 * once, for a search over many salts.
 *
 * @returns A function from the 32 bytes of a salt to the 20 bytes of the token's address.
 */
export function createTokenPredictor(
  context: TokenAddressContext,
  creator: Hex,
  params: LaunchParams,
): (salt: Uint8Array) => Uint8Array {
  const encoded = toBytes(encodeAbiParameters([paramsType], [params] as never));
  const saltStart = paramsStart + wordBytes * paramNames.indexOf("salt");
  // abi.encode(creator, salt, hash of the parameters)
  const bound = toBytes(concatHex([pad(creator), params.salt, params.salt]));
  // 0xff, factory, salt, hash of the creation code (EIP-1014)
  const create2 = toBytes(concatHex(["0xff", context.launchFactory, params.salt, hashInitCode(context, params)]));
  return (salt) => {
    encoded.set(salt, saltStart);
    bound.set(salt, wordBytes);
    bound.set(keccak256(encoded, "bytes"), 2 * wordBytes);
    create2.set(keccak256(bound, "bytes"), 1 + addressBytes);
    return keccak256(create2, "bytes").subarray(wordBytes - addressBytes);
  };
}

function hashInitCode(context: TokenAddressContext, { name, symbol, contractURI }: LaunchParams): Hex {
  const encoded = encodeAbiParameters(tokenArguments, [name, symbol, contractURI, context.feeLocker]);
  return keccak256(concatHex([context.tokenCreationCode, encoded]));
}
