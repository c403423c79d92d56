import { fileURLToPath } from "node:url";
import { SlipwayError } from "@slipway/protocol/errors";
import pLimit from "p-limit";
import type { Clock } from "../clock.ts";
import { prepareCardFonts } from "./cardFonts.ts";
import { createIsolatedPool, type IsolatedPool } from "./createIsolatedPool.ts";

/** The content of a card. Texts are untrusted: they are escaped where they are drawn. */
export type Card = {
  name: string;
  symbol: string;
  /** The formatted price; null while unknown. */
  price: string | null;
  /** The change over the last 24 h, in percent; null while unknown. */
  change: number | null;
  /** The stored picture in our own encoding (WebP); null without a picture. */
  image: Uint8Array | null;
  /** Any number: determines the colour of the tile without a picture. */
  hue: number;
  /** Prices and their times, ascending. */
  line: readonly { t: number; price: number }[];
};

export type CardPainter = {
  /**
   * Draws a card of 1200 x 630 pixels as PNG in a separate process.
   *
   * @throws SlipwayError `overloaded`: too many wait, or it took too long.
   */
  draw(card: Card): Promise<Buffer>;
  /** Ends the process. */
  stop(): Promise<void>;
};

/** The maximum time of a card, including the start of the process; a card usually takes a twentieth of a second. */
const deadlineMs = 60_000;
/** The interval between checks of the font files: programs that clean temporary files remove old ones. */
const fontCheckMs = 60 * 60_000;
/** Maximum waiting cards; further cards are refused. */
const maxWaiting = 16;

/**
 * Creates the pool that draws cards: one process, which cannot delay uploads. The process starts with the first card.
 *
 * @param options.program - Replaces `drawCard.ts` in tests.
 */
export function createCardPainter(options: {
  clock: Pick<Clock, "now" | "sleep">;
  program?: string;
  deadlineMs?: number;
}): CardPainter {
  const limit = pLimit(1);
  let pool: IsolatedPool<Card, Uint8Array> | null = null;
  let opening: Promise<IsolatedPool<Card, Uint8Array>> | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;
  /** Restores missing font files, whose path stays the same, and opens the pool if it is not open yet. */
  const open = async () => {
    const env = { FONTCONFIG_FILE: await prepareCardFonts() };
    pool ??= createIsolatedPool<Card, Uint8Array>({
      clock: options.clock,
      program: options.program ?? fileURLToPath(new URL("drawCard.ts", import.meta.url)),
      name: "drawCard",
      processes: 1,
      libraries: ["sharp"],
      deadlineMs: options.deadlineMs ?? deadlineMs,
      env,
    });
    return pool;
  };

  return {
    draw: async (card) => {
      if (limit.pendingCount >= maxWaiting) throw new SlipwayError("overloaded", "Too many cards wait to be drawn.");
      if (options.clock.now() - checkedAt > fontCheckMs) {
        checkedAt = options.clock.now();
        opening = open().catch((error: unknown) => {
          checkedAt = Number.NEGATIVE_INFINITY;
          throw error;
        });
      }
      const { run } = await opening!;
      // A process that ended between two cards makes the next card fail once.
      const png = await limit(() => run(card).catch(() => run(card)));
      if (png === "timeout") throw new SlipwayError("overloaded", "The card took too long to draw.");
      return Buffer.from(png);
    },
    stop: async () => {
      await opening?.catch(() => undefined);
      await pool?.stop();
    },
  };
}
