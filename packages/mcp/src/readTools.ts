import { type ErrorCode, errorTable } from "@slipway/protocol/errors";
import { operations } from "@slipway/protocol/operations";
import type { OperationDefinition } from "@slipway/protocol/operations/operationDefinition";
import type { Client } from "@slipway/sdk/createClient";
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
import { ToolRefusal } from "./toolResult.ts";

/** The operation of each tool that reads. The other parts of a tool follow from its operation. */
const readOperations = {
  list_tokens: "listTokens",
  get_token: "getToken",
  list_trades: "listTokenTrades",
  get_candles: "listTokenCandles",
  get_analytics: "getAnalytics",
  get_config: "getConfig",
  list_openings: "listOpenings",
  get_opening: "getOpening",
  list_opening_deposits: "listOpeningDeposits",
  get_vesting: "getTokenVesting",
  get_fee_positions: "getFeePositions",
  list_drafts: "listIntents",
  get_draft: "getIntent",
  quote_trade: "quoteTrade",
  quote_gas: "quoteGas",
  get_topup: "getTopUp",
} as const satisfies Record<string, keyof Client>;

function createReadTool(name: string, operation: (typeof readOperations)[keyof typeof readOperations]): ToolDefinition {
  const definition: OperationDefinition = operations[operation];
  const { summary, description, params, query, body } = definition;
  const answer = getAnswerSchema(definition);
  return {
    name,
    title: summary,
    description: [summary, description].filter(Boolean).join(". "),
    input: createInput(getShape(params), getShape(query), getShape(body)),
    output: createOutput(z.object({ result: answer, untrusted })),
    readOnly: true,
    needsTrust: false,
    run: async (input, { client }) => {
      const call = client[operation] as (input: unknown) => Promise<unknown>;
      return separateUntrusted(answer, await call(input));
    },
  };
}

const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];
const explanation = z.object({
  code: z.enum(errorCodes),
  status: z.int().describe("The HTTP status."),
  retryable: z.boolean().describe("Whether the same request can succeed later."),
  fault: z.enum(["caller", "service", "provider", "chain"]).describe("The party that causes the error."),
  help: z.string().describe("What the caller can do."),
});

/** Explains a code without a request to the service. */
const explainError: ToolDefinition = {
  name: "explain_error",
  title: "Explain an error code",
  description: "Returns the cause and the remedy of an error code of the service.",
  input: createInput({ code: z.string().max(100).describe("The code of a refusal, e.g. `insufficient_balance`.") }),
  output: createOutput(explanation),
  readOnly: true,
  needsTrust: false,
  run: async ({ code }) => {
    if (typeof code !== "string" || !Object.hasOwn(errorTable, code)) {
      throw new ToolRefusal(
        "unknown_error_code",
        "This is no code of the error table; the resource slipway://errors lists all codes.",
      );
    }
    return { code, ...errorTable[code as ErrorCode] };
  },
};

/** The tools that read. */
export const readTools: readonly ToolDefinition[] = [
  ...Object.entries(readOperations).map(([name, operation]) => createReadTool(name, operation)),
  explainError,
];
