import { concatHex, encodeAbiParameters, getCreate2Address, type Hex, keccak256 } from "viem";
import { launchFactoryAbi } from "./contracts/launchFactory.ts";
import { toPoolFee } from "./feeTiers.ts";

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

const launchInputs = launchFactoryAbi.find((entry) => entry.type === "function" && entry.name === "launch")!;
const paramsType = (launchInputs as unknown as { inputs: [{ type: "tuple"; components: [] }] }).inputs[0];
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
  const initCode = concatHex([
    context.tokenCreationCode,
    encodeAbiParameters(tokenArguments, [params.name, params.symbol, params.contractURI, context.feeLocker]),
  ]);
  const token = getCreate2Address({
    from: context.launchFactory,
    salt: effectiveSalt(creator, params),
    bytecodeHash: keccak256(initCode),
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
