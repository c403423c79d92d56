import type { AsOf } from "@slipway/protocol/asOf";
import { toIsoTime } from "../pricing/format.ts";
import type { FreshIndex } from "./indexStatus.ts";

/**
 * Converts the last change that an answer shows to the wire format. Responses with it depend on the tag `minute` or `block`,
 * because a block becomes final without a change of the answer.
 *
 * @param change.time - Unix seconds.
 */
export function toAsOf(change: { block: number; time: number }, { finalBlock }: Pick<FreshIndex, "finalBlock">): AsOf {
  return {
    block_number: change.block,
    timestamp: toIsoTime(change.time),
    finality: finalBlock !== null && change.block <= finalBlock ? "final" : "soft",
  };
}
