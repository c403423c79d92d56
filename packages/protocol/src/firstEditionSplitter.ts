import { concatHex, encodeAbiParameters, type Hex, keccak256, parseAbi } from "viem";
import { type FirstEditionDeployment, templateRuntimeHash } from "./manifest.ts";
import { checksummed } from "./primitives.ts";
import {
  type Allocation,
  findDeploymentProblem,
  maxPayees,
  missingCode,
  type SplitterCheck,
  type SplitterDeployment,
} from "./splitter.ts";

/**
 * The splitter of the first edition: a contract with constructor arguments, whose allocations are in its storage. Its
 * launches stay claimable. It has neither payouts nor unwrapping, and its Released has no receiver.
 */
export const firstEditionSplitterAbi = parseAbi([
  "function claimable(address asset, address payee) view returns (uint256)",
  "function release(address[] assets, address payee) returns (uint256[] amounts)",
  "function released(address asset, address payee) view returns (uint256)",
  "function totalReleased(address asset) view returns (uint256)",
  "event NativeReceived(address indexed from, uint256 amount)",
  "event Released(address indexed asset, address indexed payee, uint256 amount)",
  "event SplitterCreated(address[] payees, uint16[] shares)",
  "error FeeSplitter_NotPayee(address account)",
  "error FeeSplitter_TransferFailed(address asset, address payee, uint256 amount)",
  "error Reentrancy()",
]);

const argumentTypes = [{ type: "address[]" }, { type: "uint16[]" }] as const;
const word = 64;

/** Encodes the input of the creation transaction: creation code followed by abi.encode(payees, shares). */
export function firstEditionSplitterInput(creationCode: Hex, allocations: readonly Allocation[]): Hex {
  return concatHex([
    creationCode,
    encodeAbiParameters(argumentTypes, [
      allocations.map(({ payee }) => payee),
      allocations.map(({ shareBps }) => shareBps),
    ]),
  ]);
}

/**
 * Reads the allocations from a creation transaction's input: the pinned code (identified by its hash) followed by exactly
 * the canonical encoding of two arrays of equal length.
 *
 * @returns null for any other input.
 */
export function readFirstEditionSplitterInput(input: Hex, creationCodeHash: string): Allocation[] | null {
  const digits = input.slice(2).toLowerCase();
  for (let count = 1; count <= maxPayees; count++) {
    const tailLength = (4 + 2 * count) * word;
    if (digits.length <= tailLength) return null;
    const tail = digits.slice(-tailLength);
    const allocations = readArrays(tail, count);
    if (allocations === null) continue;
    if (keccak256(`0x${digits.slice(0, -tailLength)}`) !== creationCodeHash.toLowerCase()) continue;
    return allocations;
  }
  return null;
}

/** Decodes two static arrays of `count` entries each; null unless encoding them again gives the same bytes. */
function readArrays(tail: string, count: number): Allocation[] | null {
  const at = (index: number) => tail.slice(index * word, (index + 1) * word);
  if (BigInt(`0x${at(2)}`) !== BigInt(count)) return null;
  const allocations: Allocation[] = [];
  for (let i = 0; i < count; i++) {
    const share = BigInt(`0x${at(4 + count + i)}`);
    if (share > 0xffffn) return null;
    allocations.push({ payee: checksummed(`0x${at(3 + i).slice(24)}`), shareBps: Number(share) });
  }
  return firstEditionSplitterInput("0x", allocations) === `0x${tail}` ? allocations : null;
}

/**
 * Checks the deployment of a splitter: a transaction without target whose input is exactly the
 * pinned creation code and the allocations created the contract, and its runtime code is the template's. Does not use
 * view functions: another contract could return anything.
 */
export function checkFirstEditionSplitter(
  splitter: string,
  deployment: SplitterDeployment,
  runtimeCode: Hex,
  template: FirstEditionDeployment["fee_splitter"],
): SplitterCheck {
  const problem = findDeploymentProblem(splitter, deployment);
  if (problem !== null) return { problem };
  const allocations = readFirstEditionSplitterInput(deployment.input, template.creation_code_hash);
  if (allocations === null) return { problem: "it was not born from the pinned creation code" };
  if (runtimeCode === "0x") return { problem: missingCode };
  if (templateRuntimeHash(runtimeCode, template.immutable_offsets) !== template.runtime_code_hash.toLowerCase()) {
    return { problem: "its runtime code is not the pinned one" };
  }
  return { allocations };
}
