import { type Address, concatHex, type Hex, hexToBigInt, numberToHex, padHex, size, slice } from "viem";

/** A call that returns `words` words of 32 bytes; default: one. */
export type WordCall = {
  to: Address;
  data: Hex;
  words?: number;
  gas?: number;
  /** Allows the callee to change state, which the simulation discards. */
  mayWrite?: boolean;
};

/** A program's output; a call that failed or returned too little is null. */
export type ProgramResult = { codeHashes: Hex[]; answers: (Hex[] | null)[] };

/** More than any getter needs, and low enough that a call that uses all of it leaves gas for the others. */
const defaultCallGas = 300_000;

const op = {
  and: "0x16",
  gt: "0x11",
  returnDataSize: "0x3d",
  extCodeHash: "0x3f",
  mstore: "0x52",
  call: "0xf1",
  return: "0xf3",
  staticCall: "0xfa",
} as const;

/**
 * Encodes EVM code that reads any number of code hashes and calls in one `eth_call` without a target: executed as the
 * creation of a contract, it returns its output instead of the contract's code. It needs no contract on the chain.
 *
 * Output: the word 1, a word for each code hash, then for each call a word that is 1 if it succeeded, and its words.
 */
export function encodeReadProgram(codeAddresses: readonly Address[], calls: readonly WordCall[]): Hex {
  const scratch = getOutputSize(codeAddresses.length, calls);
  const code: Hex[] = [push(1), push(0), op.mstore];
  let offset = 32;
  for (const address of codeAddresses) {
    code.push(pushAddress(address), op.extCodeHash, push(offset), op.mstore);
    offset += 32;
  }
  for (const { to, data, words = 1, gas = defaultCallGas, mayWrite = false } of calls) {
    const inputSize = size(data);
    for (let start = 0; start < inputSize; start += 32) {
      const chunk = padHex(slice(data, start, Math.min(start + 32, inputSize)), { dir: "right", size: 32 });
      code.push("0x7f", chunk, push(scratch + start), op.mstore);
    }
    code.push(push(32 * words), push(offset + 32), push(inputSize), push(scratch));
    if (mayWrite) code.push(push(0));
    code.push(pushAddress(to), push(gas), mayWrite ? op.call : op.staticCall);
    code.push(push(32 * words - 1), op.returnDataSize, op.gt, op.and, push(offset), op.mstore);
    offset += 32 + 32 * words;
  }
  code.push(push(offset), push(0), op.return);
  return concatHex(code);
}

/**
 * Decodes a program's output.
 *
 * @throws RangeError when its length is wrong.
 */
export function decodeReadProgram(output: Hex, codeHashCount: number, calls: readonly WordCall[]): ProgramResult {
  if (size(output) !== getOutputSize(codeHashCount, calls) || hexToBigInt(slice(output, 0, 32)) !== 1n) {
    throw new RangeError(`the answer has ${size(output)} bytes instead of ${getOutputSize(codeHashCount, calls)}`);
  }
  let offset = 32;
  const next = (): Hex => {
    offset += 32;
    return slice(output, offset - 32, offset);
  };
  const codeHashes = Array.from({ length: codeHashCount }, next);
  const answers = calls.map(({ words = 1 }) => {
    const answered = hexToBigInt(next()) === 1n;
    const read = Array.from({ length: words }, next);
    return answered ? read : null;
  });
  return { codeHashes, answers };
}

function getOutputSize(codeHashCount: number, calls: readonly WordCall[]): number {
  return 32 + 32 * codeHashCount + calls.reduce((sum, { words = 1 }) => sum + 32 + 32 * words, 0);
}

/** Encodes PUSH4, with the same length for every number, so that the program is easy to read in a debugger. */
function push(value: number): Hex {
  return concatHex(["0x63", numberToHex(value, { size: 4 })]);
}

function pushAddress(address: Address): Hex {
  return concatHex(["0x73", address]);
}
