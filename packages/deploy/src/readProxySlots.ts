import { type Address, concatHex, type Hex, numberToHex } from "viem";
import { callRpc, type RpcClient } from "./createRpcClient.ts";
import { decodeReadProgram, encodeReadProgram, type WordCall } from "./readProgram.ts";

/** A contract's EIP-1967 slots: the zero address for an empty slot, the whole word for a slot without an address. */
export type ProxySlots = { implementation: Hex; beacon: Hex; admin: Hex };

/** EIP-1967: keccak-256 of `eip1967.proxy.implementation`, `.beacon`, `.admin`, minus one. */
export const proxySlots = {
  implementation: "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
  beacon: "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50",
  admin: "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103",
} as const satisfies Record<keyof ProxySlots, Hex>;

/** Distinguishes the slot reader's result from the contract's own, if a node ignores the override. */
const magicWord: Hex = "0x0000000000000000000000000000000000000000000000736c69707761792121";

/**
 * Reads the EIP-1967 slots of any number of contracts in one `eth_call`: a state override replaces their code by a few
 * bytes that read the contract's own storage. Queries a node without state overrides slot by slot.
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
    const output = (await callRpc(client, "eth_call", [
      { data: encodeReadProgram([], calls) },
      block,
      overrides,
    ])) as Hex;
    answers = decodeReadProgram(output, 0, calls).answers;
  } catch {
    return undefined;
  }
  const slots: ProxySlots[] = [];
  for (const answer of answers) {
    if (answer === null || answer[0] !== magicWord) return undefined;
    slots.push(toProxySlots(answer[1] as Hex, answer[2] as Hex, answer[3] as Hex));
  }
  return slots;
}

function readOneByOne(client: RpcClient, addresses: readonly Address[], block: Hex | "latest"): Promise<ProxySlots[]> {
  const read = async (address: Address, slot: Hex) =>
    (await callRpc(client, "eth_getStorageAt", [address, slot, block])) as Hex;
  return Promise.all(
    addresses.map(async (address) => {
      const [implementation, beacon, admin] = await Promise.all([
        read(address, proxySlots.implementation),
        read(address, proxySlots.beacon),
        read(address, proxySlots.admin),
      ]);
      return toProxySlots(implementation, beacon, admin);
    }),
  );
}

function toProxySlots(implementation: Hex, beacon: Hex, admin: Hex): ProxySlots {
  return { implementation: toAddress(implementation), beacon: toAddress(beacon), admin: toAddress(admin) };
}

function toAddress(word: Hex): Hex {
  const value = BigInt(word);
  return value >> 160n === 0n ? numberToHex(value, { size: 20 }) : numberToHex(value, { size: 32 });
}

/** Stores the magic word and the three slots in memory, and returns the four words. */
const slotReader: Hex = concatHex([
  "0x7f",
  magicWord,
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
