import type { DraftWithOptions } from "../launchOptions.ts";
import { type DraftVesting, getDraftVesting } from "../vesting.ts";
import type { Contracts } from "./check.ts";

/** Computes the vesting of a draft's initial buy without the service; null if the tokens do not vest. */
export const getReviewedVesting = (
  draft: Pick<DraftWithOptions, "id" | "options">,
  creator: string,
  { vesting_factory: factory = "0x", vesting_implementation: implementation = "0x" }: Contracts,
): DraftVesting | null =>
  getDraftVesting(draft, creator, {
    factory: factory as `0x${string}`,
    implementation: implementation as `0x${string}`,
  });
