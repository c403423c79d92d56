import { operations } from "@slipway/protocol/operations";
import {
  type VestingReleaseRequest,
  type VestingRequest,
  vestingReleaseRequest,
  vestingRequest,
} from "@slipway/protocol/vestings";
import { createInput, type ToolDefinition } from "./toolDefinition.ts";
import { ToolRefusal } from "./toolResult.ts";
import { preparedOutput, readDraft, requireTrust, toPrepared } from "./toPrepared.ts";

const prepareVesting: ToolDefinition = {
  name: "prepare_vesting",
  title: operations.prepareVesting.summary,
  description:
    `${operations.prepareVesting.description} The result is compared with the stored draft: compare the draft ` +
    "(`get_draft`) with what you asked for. After the receipt, `prepare_launch`.",
  input: createInput(vestingRequest.shape),
  output: preparedOutput,
  readOnly: false,
  needsTrust: true,
  run: async (input, context) => {
    const trust = requireTrust(context);
    const request = input as VestingRequest;
    const draft = await readDraft(request.intent_id, context);
    const result = await context.client.prepareVesting(request);
    return toPrepared(result, { operation: "prepareVesting", request, draft }, trust);
  },
};

const prepareVestingRelease: ToolDefinition = {
  name: "prepare_vesting_release",
  title: operations.prepareVestingRelease.summary,
  description:
    `${operations.prepareVestingRelease.description} The transaction moves nothing of the wallet. The service names the ` +
    "vesting: compare its address and beneficiary with `get_vesting`.",
  input: createInput(vestingReleaseRequest.shape),
  output: preparedOutput,
  readOnly: false,
  needsTrust: true,
  run: async (input, context) => {
    const trust = requireTrust(context);
    const request = input as VestingReleaseRequest;
    const { vesting } = await context.client.getTokenVesting({ address: request.token });
    if (vesting === null) throw new ToolRefusal("no_vesting", "The token has no vested initial buy.");
    const result = await context.client.prepareVestingRelease(request);
    return toPrepared(result, { operation: "prepareVestingRelease", request, vesting: vesting.address }, trust);
  },
};

/** The tools that prepare transactions of a vested initial buy. */
export const vestingTools: readonly ToolDefinition[] = [prepareVesting, prepareVestingRelease];
