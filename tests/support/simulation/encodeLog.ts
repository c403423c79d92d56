import { type Abi, type AbiEvent, encodeAbiParameters, encodeEventTopics, parseAbi } from "viem";

export type GeneratedLog = { address: string; topics: string[]; data: string };

export const erc20Abi = parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]);

/** Encodes an event of an ABI. */
export function encodeLog(abi: Abi, address: string, eventName: string, args: Record<string, unknown>): GeneratedLog {
  const event = abi.find((entry): entry is AbiEvent => entry.type === "event" && entry.name === eventName)!;
  const plain = event.inputs.filter((input) => !input.indexed);
  const topics = encodeEventTopics({ abi, eventName, args } as never) as string[];
  return { address, topics, data: encodeAbiParameters(plain, plain.map((input) => args[input.name!]) as never) };
}
