import { SlipwayError } from "@slipway/protocol/errors";
import { toNetwork } from "./toNetwork.ts";

/** An open stream, and the function that ends it. */
type Stream = { address: string; end: () => void };
/** The streams of one network by address, each in the order in which they were opened. */
type Network = { count: number; addresses: Map<string, Set<Stream>> };

/** The maximum of open streams of a process. */
export type StreamLimit = {
  /**
   * Counts a new stream. At the maximum it replaces a stream of a network that has many more streams.
   *
   * @param address - The client address.
   * @param end - Closes the stream's connection at once. The client resumes with its cursor.
   * @returns a function that frees the place; further calls have no effect.
   * @throws SlipwayError `rate_limited` when no network has enough streams more.
   */
  acquire(address: string, end: () => void): () => void;
};

/** After a replacement the holder still has at least as many as the newcomer, so two clients never replace each other in turn. */
const hasManyMore = (count: number, own: number) => count >= 2 * (own + 1);

/**
 * Creates the maximum of open streams of a process. Clients keep streams as long as they like, so a few networks with many
 * addresses could otherwise occupy every place. At the maximum, a new stream replaces the newest stream of the address with
 * the most streams, in the network with the most: the established streams of a shared network stay.
 */
export function createStreamLimit(maxOpen: number): StreamLimit {
  const networks = new Map<string, Network>();
  const releases = new Map<Stream, () => void>();

  const findReplaced = (address: string): Stream | null => {
    const own = networks.get(toNetwork(address));
    const largest = getLargest(networks.values(), ({ count }) => count);
    if (largest === undefined) return null;
    if (largest !== own && !hasManyMore(largest.count, own?.count ?? 0)) return null;
    const streams = getLargest(largest.addresses.values(), ({ size }) => size)!;
    if (largest === own && !hasManyMore(streams.size, own.addresses.get(address)?.size ?? 0)) return null;
    return [...streams].at(-1)!;
  };

  return {
    acquire(address, end) {
      if (releases.size >= maxOpen) {
        const replaced = findReplaced(address);
        if (replaced === null) {
          throw new SlipwayError("rate_limited", "All live streams of this server are in use; try again later.");
        }
        // The connection emits `close` later, but the place is free now.
        releases.get(replaced)!();
        replaced.end();
      }
      const name = toNetwork(address);
      const network = networks.get(name) ?? { count: 0, addresses: new Map<string, Set<Stream>>() };
      const streams = network.addresses.get(address) ?? new Set();
      const stream = { address, end };
      networks.set(name, network);
      network.addresses.set(address, streams.add(stream));
      network.count++;

      const release = () => {
        if (!releases.delete(stream)) return;
        streams.delete(stream);
        if (streams.size === 0) network.addresses.delete(address);
        if (--network.count === 0) networks.delete(name);
      };
      releases.set(stream, release);
      return release;
    },
  };
}

/** Returns the first of the largest values; undefined when there are none. */
function getLargest<Value>(values: Iterable<Value>, getSize: (value: Value) => number): Value | undefined {
  let largest: Value | undefined;
  for (const value of values) if (largest === undefined || getSize(value) > getSize(largest)) largest = value;
  return largest;
}
