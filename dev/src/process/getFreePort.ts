import { randomInt } from "node:crypto";
import getPort from "get-port";

/**
 * The range of the ports. Browsers block some lower ports. Systems assign higher ports to outgoing connections and to
 * programs that listen on port 0, also between the choice of a port and the start of its program.
 */
const lowest = 20_000;
const highest = 32_767;

function* drawPorts() {
  for (let draws = 0; draws < 100; draws++) yield randomInt(lowest, highest + 1);
}

/**
 * Returns a port of 127.0.0.1 on which no program listens. This process does not get it again within 15 seconds.
 *
 * @param preferred - Ports to return instead, in their order, if one is free.
 */
export async function getFreePort(preferred: readonly number[] = []): Promise<number> {
  return await getPort({ host: "127.0.0.1", port: [...preferred, ...drawPorts()] });
}
