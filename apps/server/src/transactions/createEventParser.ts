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
 * Creates the parser of one event. Calls viem's `parseEventLogs`, which hashes all its events' signatures in each call,
 * only with logs of this event and only with this event's ABI.
 *
 * @returns A function that returns the arguments of the event's logs, in the order of the logs.
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
