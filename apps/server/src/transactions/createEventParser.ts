import {
  type Abi,
  type AbiEvent,
  type ContractEventName,
  type ParseEventLogsReturnType,
  parseEventLogs,
  toEventSelector,
} from "viem";
import type { SimulatedLog } from "./simulate.ts";

/**
 * Creates the parser of one event, as viem's `parseEventLogs`, which hashes the signatures of all events of the ABI in every
 * call; here logs of other events are left out before.
 *
 * @returns A function of logs: the arguments of those that are the event, in their order.
 */
export function createEventParser<const A extends Abi, const Name extends ContractEventName<A>>(
  abi: A,
  eventName: Name,
): (logs: readonly SimulatedLog[]) => ParseEventLogsReturnType<A, Name, true>[number]["args"][] {
  const events = abi.filter((entry): entry is AbiEvent => entry.type === "event" && entry.name === eventName);
  const selectors = new Set<string | undefined>(events.map((event) => toEventSelector(event)));
  return (logs) => {
    const own = logs.filter(({ topics }) => selectors.has(topics[0]));
    if (own.length === 0) return [];
    return parseEventLogs({ abi: events, logs: own as never }).map(({ args }) => args) as never;
  };
}
