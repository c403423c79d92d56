import type {
  OpeningClaimRequest,
  OpeningClosingRequest,
  OpeningDepositRequest,
  OpeningRequest,
} from "@slipway/protocol/openings";
import { operations } from "@slipway/protocol/operations";
import type { UnsignedResult } from "@slipway/protocol/transaction";
import type { Client } from "@slipway/sdk/createClient";
import type { Order, ShownOpening } from "@slipway/sdk/verifyPrepared";
import { createInput, getShape, type ToolDefinition } from "./toolDefinition.ts";
import { preparedOutput, readDraft, requireTrust, toPrepared } from "./toPrepared.ts";

const prepareOpening: ToolDefinition = {
  name: "prepare_opening",
  title: operations.prepareOpening.summary,
  description:
    `${operations.prepareOpening.description} Call \`prepare_splitter\` first. The result is compared with the stored ` +
    "draft: compare the draft (`get_draft`) with what you asked for. The creator launches the token later on the site or " +
    "with the command line, because no tool takes a signature.",
  input: createInput(getShape(operations.prepareOpening.body)),
  output: preparedOutput,
  readOnly: false,
  needsTrust: true,
  run: async (input, context) => {
    const trust = requireTrust(context);
    const request = input as OpeningRequest;
    const draft = await readDraft(request.intent_id, context);
    const result = await context.client.prepareOpening(request);
    return toPrepared(result, { operation: "prepareOpening", request, draft }, trust);
  },
};

/** A tool that prepares a transaction of an opening that exists. */
function createOpeningTool<Request extends { wallet: string }>(parts: {
  name: string;
  operation: "prepareOpeningDeposit" | "prepareOpeningClaim" | "prepareOpeningClosing";
  prepare(client: Client, request: Request & { address: string }): Promise<UnsignedResult>;
  toOrder(request: Request, opening: ShownOpening): Order;
}): ToolDefinition {
  const { summary, description, params, body } = operations[parts.operation];
  return {
    name: parts.name,
    title: summary,
    description,
    input: createInput(getShape(params), getShape(body)),
    output: preparedOutput,
    readOnly: false,
    needsTrust: true,
    run: async (input, context) => {
      const trust = requireTrust(context);
      const request = input as Request & { address: string };
      const { address } = request;
      // The terms are compared with the address of the request, not with one that the service names.
      const opening = { ...(await context.client.getOpening({ address })), address };
      const result = await parts.prepare(context.client, request);
      return toPrepared(result, parts.toOrder(request, opening), trust);
    },
  };
}

/** The tools that prepare transactions of openings. None of them launches: that needs the creator's signature. */
export const openingTools: readonly ToolDefinition[] = [
  prepareOpening,
  createOpeningTool<OpeningDepositRequest>({
    name: "prepare_opening_deposit",
    operation: "prepareOpeningDeposit",
    prepare: (client, request) => client.prepareOpeningDeposit(request),
    toOrder: (request, opening) => ({ operation: "prepareOpeningDeposit", request, opening }),
  }),
  createOpeningTool<OpeningClaimRequest>({
    name: "prepare_opening_claim",
    operation: "prepareOpeningClaim",
    prepare: (client, request) => client.prepareOpeningClaim(request),
    toOrder: (request, opening) => ({ operation: "prepareOpeningClaim", request, opening }),
  }),
  createOpeningTool<OpeningClosingRequest>({
    name: "prepare_opening_closing",
    operation: "prepareOpeningClosing",
    prepare: (client, request) => client.prepareOpeningClosing(request),
    toOrder: (request, opening) => ({ operation: "prepareOpeningClosing", request, opening }),
  }),
];
