import { concatHex, getCreate2Address, type Hex, numberToHex, size } from "viem";

/** The ERC-1167 code before and after the implementation's address. */
const proxyHead = "0x363d3d373d3d3d363d73";
const proxyTail = "0x5af43d82803e903d91602b57fd5bf3";

/** The length of the proxy, in front of its immutable arguments, in bytes. */
export const proxyBytes = 45;

/** Encodes the runtime code of a minimal proxy (ERC-1167) of an implementation, followed by immutable arguments. */
export function encodeMinimalProxy(implementation: Hex, args: readonly Hex[]): Hex {
  return concatHex([proxyHead, implementation, proxyTail, ...args]).toLowerCase() as Hex;
}

/**
 * Predicts the address at which a factory of Slipway creates runtime code by CREATE2. The init code only returns it.
 * Source: SplitterClone.factoryCreationCode.
 */
export function predictClone(factory: Hex, runtimeCode: Hex, salt: Hex): Hex {
  const bytecode = concatHex(["0x61", numberToHex(size(runtimeCode), { size: 2 }), "0x80600a3d393df3", runtimeCode]);
  return getCreate2Address({ from: factory, salt, bytecode });
}
