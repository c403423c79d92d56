import { type UnsignedResult, unsignedResult } from "@slipway/protocol/transaction";
import { describePrepared } from "@slipway/protocol/verify/describePrepared";
import { NotAsAsked, type Order, type ReviewedDraft, type Trust, verifyPrepared } from "@slipway/sdk/verifyPrepared";
import { z } from "zod";
import { separateUntrusted } from "./separateUntrusted.ts";
import { createOutput, type ToolContext, untrusted } from "./toolDefinition.ts";
import { ToolRefusal } from "./toolResult.ts";

/** The schema of a tool that prepares a transaction. */
export const preparedOutput = createOutput(
  z.object({
    moves: z.array(z.string()).describe("What the transaction moves, for the person who signs."),
    verification: z.object({
      ok: z.boolean(),
      manifest_sha256: z.string().describe("The SHA-256 of the manifest with which the result was compared."),
      checks: z
        .array(z.object({ name: z.string(), ok: z.boolean() }))
        .describe("The comparisons of the result with the request (`verifyPrepared` of the SDK)."),
    }),
    result: unsignedResult.describe("The unsigned transaction, as the service prepared it."),
    untrusted,
  }),
);

/**
 * Returns the content of a result that corresponds to its order.
 *
 * @throws NotAsAsked with the comparisons that failed: a model then gets nothing to sign.
 */
export function toPrepared(result: UnsignedResult, order: Order, { manifest, sha256 }: Trust): Record<string, unknown> {
  const { ok, checks } = verifyPrepared(result, order, { manifest, sha256 });
  const failed = checks.filter((each) => !each.ok);
  if (!ok) throw new NotAsAsked(failed);
  const { request } = order;
  const amount = "amount_in" in request ? request.amount_in : undefined;
  return {
    moves: describePrepared(result, { wallet: request.wallet, amount_in: amount }, manifest),
    verification: { ok, manifest_sha256: sha256, checks: checks.map(({ name }) => ({ name, ok: true })) },
    ...separateUntrusted(unsignedResult, result),
  };
}

/** Returns the trust, which the server requires for these tools. */
export function requireTrust({ trust }: ToolContext): Trust {
  if (trust === null) throw new ToolRefusal("manifest_missing", "This server has no manifest to compare with.");
  return trust;
}

/** Reads the draft with which a prepared result is compared. */
export async function readDraft(id: string, { client }: ToolContext): Promise<ReviewedDraft> {
  const draft = await client.getIntent({ id });
  if (draft.id === id.toLowerCase()) return draft;
  throw new NotAsAsked([{ name: "draft", ok: false, seen: draft.id, expected: id }]);
}
