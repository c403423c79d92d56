import { z } from "zod";
import { dateTime } from "./primitives.ts";

/** The last change that an answer of the index shows. */
export const asOf = z
  .object({
    block_number: z.int(),
    timestamp: dateTime,
    finality: z
      .enum(["soft", "final"])
      .describe(
        "`final`: the block is older than the reorg window of the index, so that no chain reorganisation changes the " +
          "answer; `soft`: one still can. A block can stay `soft` up to a minute longer in an answer.",
      ),
  })
  .meta({ id: "AsOf", description: "The block of the last change that an answer shows, and whether it is final." });
export type AsOf = z.infer<typeof asOf>;
