// Builds the artifacts that the tests deploy, with one source changed.
//
// The factory contains the locker's creation code and compiles only with the IR pipeline, which is slow. It is therefore
// compiled once with a stub of the locker, whose constructor runs creation code that is inserted afterwards. A mutated
// locker then needs only a fast compilation of the locker. The locker has the same address, deployer, storage, code and
// events as in the release.
import { createHash } from "node:crypto";
import { compileCreationCode } from "./mutationCompiler.ts";
import type { Sources } from "./readSources.ts";

const path = (name: string) => `contracts/src/${name}.sol`;
const locker = path("FeeLocker");
const factory = path("LaunchFactory");

/** Maximum size of the inserted creation code, in words of 32 bytes. */
const PAYLOAD_WORDS = 320;

/** The stub's payload as compiled: unique words that the optimiser cannot fold. */
const markers = Array.from({ length: PAYLOAD_WORDS }, (_, index) => sha256(`payload ${index}`));
const lengthMarker = sha256("payload length");

/** Contracts that the factory does not contain, with the files that affect them. */
const splitterFiles = [path("FeeSplitter"), path("libraries/SplitterClone"), path("libraries/TokenTransfer")];
const vestingFiles = [path("Vesting"), path("libraries/TokenTransfer")];
const openingFiles = [path("Opening"), path("libraries/LaunchTerms")];
const standalone: Record<string, string[]> = {
  SplitterFactory: [path("SplitterFactory"), ...splitterFiles],
  FeeSplitter: splitterFiles,
  GasStation: [path("GasStation"), path("libraries/EcdsaSignature")],
  LaunchToken: [path("LaunchToken")],
  Vesting: vestingFiles,
  VestingFactory: [path("VestingFactory"), path("libraries/SplitterClone"), ...vestingFiles],
  Opening: openingFiles,
  OpeningFactory: [path("OpeningFactory"), path("libraries/SplitterClone"), ...openingFiles],
  "dev/DevStablecoin": [],
};
const lockerFiles = [
  locker,
  ...["FeePolicy", "PoolAddress", "StartPrice", "TokenTransfer"].map((name) => path(`libraries/${name}`)),
];
const factoryFiles = [
  factory,
  path("LaunchToken"),
  ...["EcdsaSignature", "PoolAddress", "SplitterClone", "StartPrice"].map((name) => path(`libraries/${name}`)),
];

/** Creation code by contract name. */
export type CreationCodes = Record<string, string>;

/**
 * Compiles the contracts that a change affects and takes the others from `unchanged`.
 *
 * @param replaced The changed source; empty for the first build.
 * @param parts "all but the factory" leaves the factory's own code unchanged, whose compilation takes longest.
 * @throws Error if a changed contract does not compile.
 */
export function buildMutantArtifacts(
  replaced: Sources,
  unchanged?: CreationCodes,
  parts: "all" | "all but the factory" = "all",
): CreationCodes {
  const isAffected = (files: string[]) => unchanged === undefined || files.some((file) => replaced.has(file));
  const codes: CreationCodes = { ...unchanged };
  for (const [name, files] of Object.entries(standalone)) {
    const contractName = name.replace(/^.*\//, "");
    if (isAffected(files)) codes[contractName] = compileCreationCode(path(name), replaced, false);
  }
  if (isAffected(lockerFiles)) codes.FeeLocker = compileCreationCode(locker, replaced, false);
  if (parts === "all" && isAffected(factoryFiles)) {
    codes.factoryTemplate = compileCreationCode(factory, new Map([...replaced, [locker, createStubSource()]]), true);
  }
  codes.LaunchFactory = patch(codes.factoryTemplate as string, codes.FeeLocker as string);
  return codes;
}

function patch(template: string, payload: string): string {
  const padded = payload.padEnd(PAYLOAD_WORDS * 64, "0");
  if (padded.length !== PAYLOAD_WORDS * 64) throw new Error("the locker's creation code does not fit the stub");
  const words = new Map(markers.map((marker, index) => [marker, padded.slice(index * 64, (index + 1) * 64)]));
  words.set(lengthMarker, (payload.length / 2).toString(16).padStart(64, "0"));
  // A mutant that never creates the locker does not contain it.
  if ([...words.keys()].every((marker) => !template.includes(marker))) return template;
  let patched = template;
  for (const [marker, word] of words) {
    if (!patched.includes(marker)) throw new Error(`marker ${marker} is missing in the factory's code`);
    patched = patched.replaceAll(marker, word);
  }
  return patched;
}

/** A contract whose constructor runs the payload with its own arguments and returns the payload's runtime code. */
function createStubSource(): string {
  const stores = markers.map((marker, index) => `mstore(add(code, ${10 + index * 32}), 0x${marker})`);
  return `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
contract FeeLocker {
  constructor(address a, address b, address c, int24 d) {
    assembly {
      let code := mload(0x40)
      let size := xor(0x${lengthMarker}, callvalue()) // zero; prevents constant folding of the marker
      ${stores.join("\n      ")}
      let arguments := add(add(code, 10), size)
      mstore(arguments, a)
      mstore(add(arguments, 32), b)
      mstore(add(arguments, 64), c)
      mstore(add(arguments, 96), d)
      let total := add(size, 128)
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

/** The first and the last byte are fixed, so that neither the word nor its complement has a shorter encoding. */
function sha256(text: string): string {
  const digest = createHash("sha256").update(text).digest("hex");
  return `a5${digest.slice(2, -2)}5a`;
}
