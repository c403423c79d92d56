import { z } from "zod";
import { asOf } from "./asOf.ts";
import { integerQuery } from "./integerQuery.ts";
import { addressOut, amountOut, dateTime } from "./primitives.ts";
import { representation } from "./representation.ts";
import { nameWarning } from "./tokenWarning.ts";

/** A page of the amounts that splitters released to a wallet, newest first. */
export const feeReleases = z
  .object({
    items: z.array(
      z.object({
        id: z.string().describe("The transaction's hash and the index of the log."),
        tx_hash: z.string(),
        log_index: z.int(),
        block_number: z.int(),
        block_timestamp: dateTime,
        splitter: addressOut,
        asset: addressOut.describe(
          "The released asset: a launched token, wrapped native, or the zero address for native.",
        ),
        amount: amountOut.describe("In base units of the asset, which has 18 decimals."),
        token: z
          .object({ address: addressOut, name: z.string(), symbol: z.string(), name_warning: nameWarning })
          .nullable()
          .describe(
            "The launch that earned it: the asset, or the only launch of the splitter; null if there are several.",
          ),
      }),
    ),
    next_cursor: z.string().nullable().describe("Pass it as `cursor` to get the next page; null on the last page."),
    as_of: asOf,
  })
  .meta({
    id: "FeeReleases",
    description: "The amounts that proven splitters released to a wallet, newest first.",
  });
export type FeeReleases = z.infer<typeof feeReleases>;

export const feeReleasesQuery = z.object({
  limit: integerQuery(1, 300, 50).describe("The maximum number of releases."),
  cursor: z
    .string()
    .regex(/^[0-9]{1,15}~[0-9]{1,9}$/, "must be next_cursor of an answer")
    .optional()
    .describe("`next_cursor` of the previous page."),
  format: representation,
});
