import { operations } from "@slipway/protocol/operations";
import { positiveUint256 } from "@slipway/protocol/primitives";
import {
  type ClaimRequest,
  claimRequest,
  launchRequest,
  type SplitRequest,
  splitRequest,
  type TradeRequest,
  tradeRequest,
} from "@slipway/protocol/transaction";
import { getDraftSplitter } from "@slipway/protocol/verify/draftSplitter";
import { listContracts } from "@slipway/protocol/verify/listContracts";
import { createSalt } from "@slipway/sdk/createSalt";
import { z } from "zod";
import { separateUntrusted } from "./separateUntrusted.ts";
import {
  createInput,
  createOutput,
  getAnswerSchema,
  getShape,
  type ToolDefinition,
  untrusted,
} from "./toolDefinition.ts";
import { preparedOutput, readDraft, requireTrust, toPrepared } from "./toPrepared.ts";

const createDraft: ToolDefinition = {
  name: "create_draft",
  title: "Store a private launch draft",
  description:
    `${operations.createIntent.description} \`prepare_splitter\` and \`prepare_launch\` launch it. A retry with the ` +
    "same `idempotency_key` stores no second draft.",
  input: createInput(getShape(operations.createIntent.body), {
    idempotency_key: z
      .string()
      .regex(/^[\x21-\x7e]{8,128}$/)
      .describe("8 to 128 characters that identify this draft; send the same key in a retry."),
  }),
  output: createOutput(z.object({ result: getAnswerSchema(operations.createIntent), untrusted })),
  readOnly: false,
  needsTrust: false,
  run: async ({ idempotency_key: idempotencyKey, ...intent }, { client }) => {
    const draft = await client.createIntent(intent as Parameters<typeof client.createIntent>[0], {
      idempotencyKey: idempotencyKey as string,
    });
    return separateUntrusted(getAnswerSchema(operations.createIntent), draft);
  },
};

const prepareSplitter: ToolDefinition = {
  name: "prepare_splitter",
  title: "Prepare the creation of a draft's splitter",
  description:
    "The first of two transactions of a launch. The default method is `factory`: the splitter's address then follows " +
    "from the draft, so that `prepare_launch` can verify it. `nothing_to_do` if it exists. Compare the draft's " +
    "recipients (`get_draft`) with those that you asked for.",
  input: createInput(splitRequest.shape),
  output: preparedOutput,
  readOnly: false,
  needsTrust: true,
  run: async (input, context) => {
    const trust = requireTrust(context);
    const request = { method: "factory", ...input } as SplitRequest;
    const draft = await readDraft(request.intent_id, context);
    const result = await context.client.prepareSplitter(request);
    return toPrepared(result, { operation: "prepareSplitter", request, draft }, trust);
  },
};

const prepareLaunch: ToolDefinition = {
  name: "prepare_launch",
  title: "Prepare the launch of a draft",
  description:
    "The second transaction of a launch, after the receipt of `prepare_splitter`. The result is compared with the " +
    "stored draft: compare the draft (`get_draft`) with what you asked for. The launch uses the splitter that the " +
    "splitter factory creates for the draft. `expected.token` is the address of the token.",
  input: createInput({
    intent_id: launchRequest.shape.intent_id,
    wallet: launchRequest.shape.wallet,
    salt: launchRequest.shape.salt
      .optional()
      .describe("32 bytes that choose the token's address. Default: they follow from draft and wallet."),
  }),
  output: preparedOutput,
  readOnly: false,
  needsTrust: true,
  run: async (input, context) => {
    const trust = requireTrust(context);
    const { intent_id, wallet, salt } = input as { intent_id: string; wallet: string; salt?: string };
    const draft = await readDraft(intent_id, context);
    const splitter = getDraftSplitter(draft, draft.options?.creator ?? wallet, listContracts(trust.manifest)).address;
    const request = { intent_id, wallet, splitter, salt: salt ?? (await createSalt(intent_id, wallet, 0)) };
    const result = await context.client.prepareLaunch(request);
    return toPrepared(result, { operation: "prepareLaunch", request, draft }, trust);
  },
};

const prepareTrade: ToolDefinition = {
  name: "prepare_trade",
  title: operations.prepareTrade.summary,
  description: operations.prepareTrade.description,
  input: createInput(tradeRequest.shape, {
    minimum_out: positiveUint256
      .optional()
      .describe("Your own lower bound of the amount that the trade pays, in base units; a worse quote is refused."),
  }),
  output: preparedOutput,
  readOnly: false,
  needsTrust: true,
  run: async (input, context) => {
    const trust = requireTrust(context);
    const { minimum_out: minimumOut, ...request } = input as TradeRequest & { minimum_out?: string };
    const result = await context.client.prepareTrade(request);
    const bound = minimumOut === undefined ? {} : { minimumOut: BigInt(minimumOut) };
    return toPrepared(result, { operation: "prepareTrade", request, ...bound }, trust);
  },
};

const prepareFeeClaim: ToolDefinition = {
  name: "prepare_fee_claim",
  title: operations.prepareFeeClaim.summary,
  description: operations.prepareFeeClaim.description,
  input: createInput(claimRequest.shape),
  output: preparedOutput,
  readOnly: false,
  needsTrust: true,
  run: async (input, context) => {
    const trust = requireTrust(context);
    const request = input as ClaimRequest;
    const result = await context.client.prepareFeeClaim(request);
    return toPrepared(result, { operation: "prepareFeeClaim", request }, trust);
  },
};

/** The tools that store a draft or prepare unsigned transactions. None of them takes a key or a signature. */
export const prepareTools: readonly ToolDefinition[] = [
  createDraft,
  prepareSplitter,
  prepareLaunch,
  prepareTrade,
  prepareFeeClaim,
];
