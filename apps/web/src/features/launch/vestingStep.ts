import type { ReviewedDraft } from "@slipway/protocol/verify/reviewedLaunch";
import type { Client } from "@slipway/sdk/createLeanClient";
import type { PreparedStep } from "../../wallet/flowDefinition.ts";

type Asked = Parameters<typeof import("./requireReviewed.ts").requireReviewed>[0];

/** Creates the step of a launch that creates the vesting of the initial buy. */
export function createVestingStep(
  api: Pick<Client, "prepareVesting">,
  { id, options }: Pick<ReviewedDraft, "id" | "options">,
  wallet: string,
) {
  let isMissing = Boolean(options?.initial_buy?.vesting);
  return {
    /**
     * Prepares the creation; null if the vesting exists or the tokens do not vest.
     *
     * @param review - Asserts that the transaction is the reviewed one.
     */
    prepare: async (review: (asked: Asked) => Promise<void>, signal: AbortSignal): Promise<PreparedStep | null> => {
      if (!isMissing) return null;
      const { transaction } = await api.prepareVesting({ intent_id: id, wallet }, { signal });
      isMissing = transaction !== null;
      if (transaction === null) return null;
      await review([transaction]);
      return { kind: "transaction", name: "deploy_vesting", transaction };
    },
    /** Notes whether the vesting must be created. */
    setMissing: (missing: boolean) => {
      isMissing = missing;
    },
  };
}
