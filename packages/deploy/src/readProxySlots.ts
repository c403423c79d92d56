import { type Address, concatHex, type Hex, numberToHex } from "viem";
import { call } from "./call.ts";
import { chainProgram, readProgramOutput, type WordCall } from "./chainProgram.ts";
import type { RpcClient } from "./rpcRequest.ts";

/** A contract's EIP-1967 slots; the zero address for an empty one, the whole word for one that holds no address. */
export type ProxySlots = { implementation: Hex; beacon: Hex; admin: Hex };

/** EIP-1967: keccak-256 of `eip1967.proxy.implementation`, `.beacon`, `.admin`, less one. */
export const proxySlots = {
  implementation: "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
  beacon: "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50",
  admin: "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103",
} as const satisfies Record<keyof ProxySlots, Hex>;

/** By it a slot reader's answer is told from that of the contract itself, should a node ignore the override. */
const mark: Hex = "0x0000000000000000000000000000000000000000000000736c69707761792121";

/**
 * The EIP-1967 slots of any number of contracts in one `eth_call`: a state override puts a few bytes of code in their
 * place that read the contract's own storage. A node without state overrides is asked slot by slot.
 */
export async function readProxySlots(
  client: RpcClient,
  addresses: readonly Address[],
  block: Hex | "latest",
): Promise<ProxySlots[]> {
  if (addresses.length === 0) return [];
  return (await readByOverride(client, addresses, block)) ?? readOneByOne(client, addresses, block);
}

async function readByOverride(
  client: RpcClient,
  addresses: readonly Address[],
  block: Hex | "latest",
): Promise<ProxySlots[] | undefined> {
  const calls: WordCall[] = addresses.map((to) => ({ to, data: "0x", words: 4 }));
  const overrides = Object.fromEntries(addresses.map((address) => [address, { code: slotReader }]));
  let answers: (Hex[] | null)[];
  try {
    const output = (await call(client, "eth_call", [{ data: chainProgram([], calls) }, block, overrides])) as Hex;
    answers = readProgramOutput(output, 0, calls).answers;
  } catch {
    return undefined;
  }
  const slots: ProxySlots[] = [];
  for (const answer of answers) {
    if (answer === null || answer[0] !== mark) return undefined;
    slots.push(slotsOf(answer[1] as Hex, answer[2] as Hex, answer[3] as Hex));
  }
  return slots;
}

function readOneByOne(client: RpcClient, addresses: readonly Address[], block: Hex | "latest"): Promise<ProxySlots[]> {
  const read = async (address: Address, slot: Hex) =>
    (await call(client, "eth_getStorageAt", [address, slot, block])) as Hex;
  return Promise.all(
    addresses.map(async (address) => {
      const [implementation, beacon, admin] = await Promise.all([
        read(address, proxySlots.implementation),
        read(address, proxySlots.beacon),
        read(address, proxySlots.admin),
      ]);
      return slotsOf(implementation, beacon, admin);
    }),
  );
}

function slotsOf(implementation: Hex, beacon: Hex, admin: Hex): ProxySlots {
  return { implementation: addressOf(implementation), beacon: addressOf(beacon), admin: addressOf(admin) };
}

function addressOf(word: Hex): Hex {
  const value = BigInt(word);
  return value >> 160n === 0n ? numberToHex(value, { size: 20 }) : numberToHex(value, { size: 32 });
}

/** MSTORE the mark and the three slots, return the four words. */
const slotReader: Hex = concatHex([
  "0x7f",
  mark,
  "0x600052",
  ...([proxySlots.implementation, proxySlots.beacon, proxySlots.admin].flatMap((slot, index) => [
    "0x7f",
    slot,
    "0x5460",
    numberToHex(32 * (index + 1), { size: 1 }),
    "0x52",
  ]) as Hex[]),
  "0x60806000f3",
]);
