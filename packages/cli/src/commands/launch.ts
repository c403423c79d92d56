import { isCreatedSplitter } from "@slipway/protocol/verify/draftSplitter";
import { listContracts } from "@slipway/protocol/verify/listContracts";
import { type AskedLaunchStep, type LaunchedToken, launchToken } from "@slipway/sdk/launchToken";
import type { ReviewedDraft } from "@slipway/sdk/verifyPrepared";
import { type Command, InvalidArgumentError } from "commander";
import type { Context } from "../context.ts";
import { formatAmount } from "../parseArguments.ts";
import { addSigningOptions, type Signing, type SigningOptions, withSigning } from "../signing.ts";

/** The fee of a pool whose draft names none. */
const defaultFeeBps = 100;

/** Adds `drafts` and `launch`. */
export function addLaunchCommands(program: Command, context: Context): void {
  const { output, openClient } = context;

  program
    .command("drafts")
    .description("list the account's drafts, newest first")
    .option("--before <position>", "the next page")
    .action(async ({ before }) => {
      const { items, next_before } = await openClient().listIntents({ ...(before && { before }) });
      output.table(items, [
        ["id", ({ id }) => id],
        ["symbol", ({ intent }) => intent.symbol],
        ["name", ({ intent }) => intent.name],
        ["created_at", ({ created_at }) => created_at],
        ["warnings", ({ warnings }) => warnings.map(({ code }) => code).join(" ")],
      ]);
      if (next_before !== null) output.note(`next page: --before ${next_before}`);
    });

  addSigningOptions(program.command("launch"))
    .description("launch a draft: its splitter, then the token")
    .argument("<draft>", "the id of the draft", parseDraftId)
    .option(
      "--vanity <digits>",
      "1 to 8 hex digits with which the token's address ends; each multiplies the search by 16",
    )
    .action(async (id: string, options: SigningOptions & { vanity?: string }) => {
      const client = openClient();
      await withSigning(options, context, async (signing) => {
        const draft = await client.getIntent({ id });
        for (const line of describeDraft(draft)) output.note(line);
        let created: string | undefined;
        /** Finds the transaction that created a splitter: of this run, or of an earlier one. */
        const findCreation = async (splitter: string) => {
          const { splitters } = await client.getIntentProgress({ id });
          return created ?? splitters.find(({ address }) => address === splitter)?.tx_hash;
        };
        const accept = async (result: Parameters<Signing["review"]>[0], asked: AskedLaunchStep) => {
          if (asked.operation !== "prepareLaunch") return await signing.review(result, { ...asked, draft });
          const { splitter } = asked.request;
          const provenSplitter = await proveSplitter(splitter, await findCreation(splitter), draft, signing);
          return await signing.review(result, { ...asked, draft, provenSplitter });
        };
        const { manifest } = signing.trust;
        const vanity = options.vanity && { suffix: options.vanity, manifest, onProgress: createProgressNote(output) };
        let launched: LaunchedToken | undefined;
        const steps = async function* () {
          for await (const step of launchToken(client, signing.wallet, id, { accept, ...(vanity && { vanity }) })) {
            if (step.state === "launched") launched = step;
            else {
              if (step.state === "confirmed" && step.receipt.contractAddress !== null) created = step.receipt.hash;
              yield step;
            }
          }
        };
        await signing.run(steps());
        if (launched) output.line(launched, [launched.state, launched.token, launched.hash]);
      });
    });
}

/** The time between two notes of a search, in milliseconds. */
const noteMs = 5_000;

/** Creates a function that notes the progress of a search for a salt every few seconds. */
function createProgressNote({ note }: Context["output"]): (tried: number, expected: number) => void {
  let notedAt = performance.now();
  return (tried, expected) => {
    const now = performance.now();
    if (now - notedAt < noteMs) return;
    notedAt = now;
    note(`tried ${tried} salts; a search tries ${expected} on average`);
  };
}

/**
 * Proves with the wallet's own node that a transaction created the splitter that pays exactly the draft's recipients.
 *
 * @returns the splitter; null if it is not proven
 */
async function proveSplitter(
  splitter: string,
  hash: string | undefined,
  draft: ReviewedDraft,
  { provider, trust, wallet }: Signing,
): Promise<string | null> {
  if (hash === undefined) return null;
  const [transaction, receipt, code] = await Promise.all([
    provider.send("eth_getTransactionByHash", [hash]),
    provider.send("eth_getTransactionReceipt", [hash]),
    provider.send("eth_getCode", [splitter, "latest"]),
  ]);
  const creation = { address: splitter, transaction, receipt, code };
  const creator = draft.options?.creator ?? wallet.address;
  return isCreatedSplitter(creation, draft, creator, listContracts(trust.manifest)) ? splitter : null;
}

/** Describes a draft to the person who launches it: a launch cannot be changed. */
export function describeDraft({ intent, options }: ReviewedDraft): string[] {
  const { name, symbol, image_uri, website, description, recipients = [], fee_bps } = intent;
  const buy = options?.initial_buy;
  return [
    `launches ${symbol}, ${name}`,
    `image ${image_uri}`,
    `pool fee ${(fee_bps ?? defaultFeeBps) / 100}%`,
    ...(website ? [`website ${website}`] : []),
    ...(description ? [`description ${description}`] : []),
    ...recipients.map(({ wallet, share_bps }) => `pays ${share_bps / 100}% of the fees to ${wallet}`),
    ...(buy ? [`buys for ${formatAmount(buy.amount_in)} native`] : []),
    ...(buy?.vesting ? [`bought tokens vest from ${toDate(buy.vesting.cliff)} to ${toDate(buy.vesting.end)}`] : []),
    ...(options ? [`options ${JSON.stringify(options)}`] : []),
  ];
}

const toDate = (seconds: number) => new Date(seconds * 1_000).toISOString();

/** @throws InvalidArgumentError */
export function parseDraftId(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text;
  throw new InvalidArgumentError("It is not the id of a draft.");
}
