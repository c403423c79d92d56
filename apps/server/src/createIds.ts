import { randomBytes } from "node:crypto";
import type { Clock } from "./clock.ts";
import type { Ids } from "./ids.ts";

/** Creates ids from the system's random source and the given clock. */
export function createIds(clock: Clock): Ids {
  return {
    bytes: (length) => randomBytes(length),
    /** RFC 9562, 5.7: 48 bits of milliseconds, version 7, 74 random bits. */
    uuid: () => {
      const bytes = randomBytes(16);
      bytes.writeUIntBE(clock.now(), 0, 6);
      bytes[6] = 0x70 | (bytes[6]! & 0x0f);
      bytes[8] = 0x80 | (bytes[8]! & 0x3f);
      const hex = bytes.toString("hex");
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },
  };
}
