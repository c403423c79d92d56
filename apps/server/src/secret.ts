import { inspect } from "node:util";

/**
 * A secret that prints as `[secret]` wherever it ends up: in a log, an error, JSON. Its bytes are kept outside of
 * JavaScript's strings, so that a heap snapshot does not show them as text.
 */
export class Secret {
  readonly #bytes: Uint8Array;

  /** @param hex - 0x and an even number of hex digits. */
  constructor(hex: string) {
    this.#bytes = Uint8Array.from(Buffer.from(hex.slice(2), "hex"));
  }

  /** A secret that is text, not hex. */
  static ofText(text: string): Secret {
    return new Secret(`0x${Buffer.from(text).toString("hex")}`);
  }

  /** The secret as text, for the one call that needs it; not to be kept. */
  revealText(): string {
    return Buffer.from(this.#bytes).toString("utf8");
  }

  /** The secret as hex, for the one call that needs it; not to be kept. */
  reveal(): `0x${string}` {
    return `0x${Buffer.from(this.#bytes).toString("hex")}`;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}
