import { createHash } from "node:crypto";
import type { OperationInput } from "@slipway/protocol/operations";
import type { Command } from "commander";
import { UsageError } from "../cliError.ts";
import type { Context } from "../context.ts";
import { readText } from "../openWallet.ts";

/** Adds `keys` and `publish`. */
export function addAccountCommands(program: Command, { output, openClient }: Context): void {
  program
    .command("keys")
    .description("list the account's API keys, without their secrets")
    .action(async () => {
      const { items } = await openClient().listApiKeys();
      output.table(items, [
        ["name", ({ name }) => name],
        ["prefix", ({ prefix }) => prefix],
        ["scopes", ({ scopes }) => scopes.join(" ")],
        ["last_used_at", ({ last_used_at }) => last_used_at],
        ["expires_at", ({ expires_at }) => expires_at],
        ["id", ({ id }) => id],
      ]);
    });

  program
    .command("publish")
    .description("publish a business from a file of JSON")
    .argument("<file>", "name, description, category and more, as POST /businesses takes them")
    .option("--key <text>", "the same in a retry, so that it publishes nothing twice; default: made from the file")
    .action(async (path: string, { key }: { key?: string }) => {
      const text = readText(path);
      const idempotencyKey = key ?? createHash("sha256").update(text).digest("hex");
      const listing = await openClient().createBusiness(parseObject(path, text), { idempotencyKey });
      output.line(listing, ["published", listing.id]);
    });
}

/** The service checks the content and names each wrong field. */
function parseObject(path: string, text: string): OperationInput<"createBusiness"> {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not JSON.`);
  }
}
