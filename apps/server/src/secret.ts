import { inspect } from "node:util";

/**
 * A secret that prints as `[secret]` in logs, errors and JSON. Its bytes are not a JavaScript string, so that a heap
 * snapshot does not show them as text.
 */
export class Secret {
  readonly #bytes: Uint8Array;

  /** @param hex - 0x and an even number of hex digits. */
  constructor(hex: string) {
    this.#bytes = Uint8Array.from(Buffer.from(hex.slice(2), "hex"));
  }

  /** Creates a secret from text. */
  static fromText(text: string): Secret {
    return new Secret(`0x${Buffer.from(text).toString("hex")}`);
  }

  /** Returns the secret as text, for the one call that needs it; do not store it. */
  revealText(): string {
    return Buffer.from(this.#bytes).toString("utf8");
  }

  /** Returns the secret as hex, for the one call that needs it; do not store it. */
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
