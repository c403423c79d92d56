// The set of artifacts that the tests deploy from, with one source changed.
//
// The factory carries the locker's creation code and compiles only through the IR pipeline, which is slow. So it is
// compiled once with a stand-in for the locker, whose constructor runs a creation code that is patched in afterwards:
// a mutated locker then needs a fast compilation of its own and no compilation of the factory. The locker is born at
// the same address, by the same caller, with the same storage, code and events.
import { createHash } from "node:crypto";
import { creationCodeOf, type Sources } from "./mutateCompiler.ts";

const path = (name: string) => `contracts/src/${name}.sol`;
const locker = path("FeeLocker");
const factory = path("LaunchFactory");

/** The most creation code that can be patched in, in words of 32 bytes. */
const PAYLOAD_WORDS = 320;

/** The stand-in's payload as compiled: words that occur nowhere else and cannot be folded. */
const markers = Array.from({ length: PAYLOAD_WORDS }, (_, index) => sha256(`payload ${index}`));
const lengthMarker = sha256("payload length");

/** Contracts that stand alone, with the files whose change concerns them. */
const standalone: Record<string, string[]> = {
  FeeSplitter: [path("FeeSplitter")],
  GasStation: [path("GasStation")],
  LaunchToken: [path("LaunchToken")],
  "dev/DevStablecoin": [],
};

/** Creation codes by contract name, as the artifacts hold them. */
export type CreationCodes = Record<string, string>;

/**
 * Compiles everything that a change concerns and takes the rest from `unchanged`.
 *
 * @param replaced The changed source; empty for a first build, which takes nothing from elsewhere.
 * @throws Error when a changed contract does not compile.
 */
export function buildArtifacts(replaced: Sources, unchanged?: CreationCodes): CreationCodes {
  const isConcerned = (files: string[]) => unchanged === undefined || files.some((file) => replaced.has(file));
  const codes: CreationCodes = { ...unchanged };
  for (const [name, files] of Object.entries(standalone)) {
    const contractName = name.replace(/^.*\//, "");
    if (isConcerned(files)) codes[contractName] = creationCodeOf(path(name), replaced, false);
  }
  if (isConcerned([locker, path("libraries/FeePolicy")])) codes.FeeLocker = creationCodeOf(locker, replaced, false);
  if (isConcerned([factory, path("LaunchToken"), path("libraries/StartPrice"), path("libraries/PoolAddress")])) {
    codes.factoryTemplate = creationCodeOf(factory, new Map([...replaced, [locker, standInSource()]]), true);
  }
  codes.LaunchFactory = patch(codes.factoryTemplate as string, codes.FeeLocker as string);
  return codes;
}

function patch(template: string, payload: string): string {
  const padded = payload.padEnd(PAYLOAD_WORDS * 64, "0");
  if (padded.length !== PAYLOAD_WORDS * 64) throw new Error("the locker's creation code does not fit the stand-in");
  const words = new Map(markers.map((marker, index) => [marker, padded.slice(index * 64, (index + 1) * 64)]));
  words.set(lengthMarker, (payload.length / 2).toString(16).padStart(64, "0"));
  let patched = template;
  for (const [marker, word] of words) {
    if (!patched.includes(marker)) throw new Error(`marker ${marker} is missing in the factory's code`);
    patched = patched.replaceAll(marker, word);
  }
  return patched;
}

/** Runs the payload with the constructor's arguments behind it, in its own context, and becomes what it returns. */
function standInSource(): string {
  const stores = markers.map((marker, index) => `mstore(add(code, ${10 + index * 32}), 0x${marker})`);
  return `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
contract FeeLocker {
  constructor(address treasury, address wrappedNative) {
    assembly {
      let code := mload(0x40)
      let size := xor(0x${lengthMarker}, callvalue()) // zero, which keeps the marker from being folded
      ${stores.join("\n      ")}
      mstore(add(add(code, 10), size), treasury)
      mstore(add(add(code, 42), size), wrappedNative)
      let total := add(size, 64)
      // PUSH2 total, DUP1, PUSH1 10, RETURNDATASIZE, CODECOPY, RETURNDATASIZE, RETURN.
      let head := or(shl(232, 0x610000), or(shl(232, total), shl(176, 0x80600a3d393df3)))
      mstore(code, or(head, and(mload(code), 0xffffffffffffffffffffffffffffffffffffffffffff)))
      let runner := create(0, code, add(total, 10))
      let success := delegatecall(gas(), runner, 0, 0, 0, 0)
      returndatacopy(code, 0, returndatasize())
      if iszero(success) { revert(code, returndatasize()) }
      return(code, returndatasize())
    }
  }
}
`;
}

/** Begins and ends so that neither it nor its complement has a shorter form. */
function sha256(text: string): string {
  const digest = createHash("sha256").update(text).digest("hex");
  return `a5${digest.slice(2, -2)}5a`;
}
