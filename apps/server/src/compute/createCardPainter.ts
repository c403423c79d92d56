import { fileURLToPath } from "node:url";
import { SlipwayError } from "@slipway/protocol/errors";
import pLimit from "p-limit";
import type { Clock } from "../clock.ts";
import { prepareCardFonts } from "./cardFonts.ts";
import { createIsolatedPool, type IsolatedPool } from "./createIsolatedPool.ts";

/** What a card shows. Texts are a stranger's: they are escaped where they are drawn. */
export type Card = {
  name: string;
  symbol: string;
  /** As it is shown; null while it is unknown. */
  price: string | null;
  /** Of the last 24 h, in percent; null while it is unknown. */
  change: number | null;
  /** Our own stored encoding of the picture (WebP); null without one. */
  image: Uint8Array | null;
  /** Any number: the colour where there is no picture. */
  hue: number;
  /** Prices and their times, ascending. */
  line: readonly { t: number; price: number }[];
};

export type CardPainter = {
  /**
   * Draws a card of 1200 x 630 pixels as PNG in a process of its own.
   *
   * @throws SlipwayError `overloaded`: too many wait, or it took too long.
   */
  draw(card: Card): Promise<Buffer>;
  /** Ends the process. */
  stop(): Promise<void>;
};

/** How long a card may take, with the start of the process; it usually takes a twentieth of a second. */
const deadlineMs = 60_000;
/** How often the font files are looked after: programs that clean temporary files remove old ones. */
const fontCheckMs = 60 * 60_000;
/** Cards that wait; above it they are refused. */
const maxWaiting = 16;

/**
 * Creates the pool that draws cards: one process, which cannot delay uploads. It starts with the first card.
 *
 * @param options.program - Another program than `drawCard.ts`, for tests.
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
  /** Completes the font files, whose path stays the same, and opens the pool if it is not open yet. */
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
      // A process that ended between two cards fails the next one once.
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
