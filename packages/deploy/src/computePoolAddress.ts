import { type Address, encodeAbiParameters, getCreate2Address, type Hex, keccak256 } from "viem";

const keyTypes = [{ type: "address" }, { type: "address" }, { type: "uint24" }] as const;

/**
 * Computes the CREATE2 address of the pool of two tokens, in either order, of a Uniswap v3 factory.
 *
 * @param fee - In hundredths of a basis point.
 */
export function computePoolAddress(
  factory: Address,
  tokenA: Address,
  tokenB: Address,
  fee: number,
  initCodeHash: Hex,
): Address {
  const [token0, token1] = BigInt(tokenA) < BigInt(tokenB) ? [tokenA, tokenB] : [tokenB, tokenA];
  return getCreate2Address({
    from: factory,
    salt: keccak256(encodeAbiParameters(keyTypes, [token0, token1, fee])),
    bytecodeHash: initCodeHash,
  });
}
