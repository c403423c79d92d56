import type { OpeningDetail, OpeningStatus } from "@slipway/protocol/openings";
import { createEpochCall } from "@slipway/protocol/verify/orderedCalls";
import { runStep } from "@slipway/sdk/runSteps";
import { type Order, requireVerified, type ShownOpening } from "@slipway/sdk/verifyPrepared";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Context } from "../context.ts";
import { formatAmount, parseAddress, parseAmount, parseInteger } from "../parseArguments.ts";
import { addSigningOptions, type Signing, type SigningOptions, withSigning } from "../signing.ts";
import { describeDraft, parseDraftId } from "./launch.ts";

type ListOptions = { status?: OpeningStatus; creator?: string; depositor?: string; limit: number; cursor?: string };
type CreateOptions = SigningOptions & { minimum: bigint; cap: bigint; deadline: number };
type OpenOptions = SigningOptions & { value?: bigint; draft?: string };
type ClaimOptions = SigningOptions & { account?: string; to?: string };

const statuses: readonly OpeningStatus[] = ["open", "ready", "opened", "refunding", "done"];

const toTime = (seconds: number) => new Date(seconds * 1_000).toISOString();
const toPercent = (share: number) => `${Number((share * 100).toFixed(4))}%`;

/** Adds `openings` and `opening`. */
export function addOpeningCommands(program: Command, context: Context): void {
  const { output, openClient } = context;

  program
    .command("openings")
    .description("list openings, newest first")
    .addOption(new Option("--status <status>").choices(statuses))
    .option("--creator <address>", "only openings of this creator", parseAddress)
    .option("--depositor <address>", "only openings with a deposit of this account", parseAddress)
    .option("--limit <count>", "the maximum number of openings", parseInteger(1, 100), 20)
    .option("--cursor <cursor>", "the next page")
    .action(async (filters: ListOptions) => {
      const { items, next_cursor } = await openClient().listOpenings(filters);
      output.table(items, [
        ["symbol", ({ symbol }) => symbol],
        ["name", ({ blocked, name }) => (blocked ? "(blocked by the operator)" : name)],
        ["status", ({ status }) => status],
        ["deposits", ({ total }) => formatAmount(total)],
        ["minimum", ({ minimum }) => formatAmount(minimum)],
        ["cap", ({ cap }) => formatAmount(cap)],
        ["deadline", ({ deadline }) => toTime(deadline)],
        ["depositors", ({ depositors }) => depositors],
        ["address", ({ address }) => address],
      ]);
      if (next_cursor !== null) output.note(`next page: --cursor ${next_cursor}`);
    });

  const group = program.command("opening").description("show an opening, or take part in it");
  addShow(group, context);
  addCreate(group, context);
  addDeposit(group, context);
  addOpen(group, context);
  addClaim(group, context);
  addClose(group, context);
}

const addOpeningArgument = (command: Command) => command.argument("<opening>", "the opening", parseAddress);

function addShow(group: Command, { output, openClient }: Context): void {
  addOpeningArgument(group.command("show"))
    .description("show an opening, and with --account the part of an account")
    .option("--account <address>", "the account", parseAddress)
    .action(async (address: string, { account }: { account?: string }) => {
      const opening = await openClient().getOpening({ address, ...(account && { account }) });
      const { opened, if_opened_now: now } = opening;
      const buy = opened ?? now;
      const part = opening.account;
      output.fields(opening, [
        ["name", ({ name }) => name],
        ["symbol", ({ symbol }) => symbol],
        ["address", (shown) => shown.address],
        ["creator", ({ creator }) => creator],
        ["status", ({ status }) => status],
        ["deadline", ({ deadline }) => toTime(deadline)],
        ["deposits", ({ total }) => formatAmount(total)],
        ["depositors", ({ depositors }) => depositors],
        ["minimum", ({ minimum }) => formatAmount(minimum)],
        ["cap", ({ cap }) => formatAmount(cap)],
        ["pool fee", ({ fee_bps }) => toPercent(fee_bps / 10_000)],
        ["token", ({ token }) => token],
        ["other launch", ({ other_launch }) => other_launch],
        [opened === null ? "would spend" : "spent", () => buy && formatAmount(buy.spent)],
        [opened === null ? "would buy" : "bought", () => buy && formatAmount(buy.bought)],
        ["price in native", () => buy?.price_eth],
        ["blocked", ({ blocked }) => (blocked ? "by the operator, who hides its texts" : null)],
        ["warning", ({ name_warning }) => name_warning],
        ["deposit of the account", () => part && formatAmount(part.deposit)],
        ["share of the account", () => part && toPercent(part.share)],
        ["can claim tokens", () => part && formatAmount(part.claimable_tokens)],
        ["can claim native", () => part && formatAmount(part.claimable_refund)],
      ]);
    });
}

function addCreate(group: Command, context: Context): void {
  const { output, openClient } = context;
  addSigningOptions(group.command("create"))
    .description("create the opening of a draft without an initial buy: its splitter, then the opening")
    .argument("<draft>", "the id of the draft", parseDraftId)
    .requiredOption("--minimum <amount>", "the native from which you can launch", parseAmount)
    .requiredOption("--cap <amount>", "the most native that the launch spends", parseAmount)
    .requiredOption("--deadline <time>", "the last time for deposits and launch, e.g. 2027-01-31T12:00Z", parseTime)
    .action(async (id: string, { minimum, cap, deadline, ...options }: CreateOptions) => {
      const client = openClient();
      await withSigning(options, context, async ({ wallet, review, run }) => {
        const draft = await client.getIntent({ id });
        for (const line of describeDraft(draft)) output.note(line);
        output.note(`opens with ${formatAmount(minimum)} to ${formatAmount(cap)} native until ${toTime(deadline)}`);
        const split = { intent_id: id, wallet: wallet.address, method: "factory" as const };
        const bounds = { minimum: String(minimum), cap: String(cap), deadline };
        const request = { intent_id: id, wallet: wallet.address, ...bounds };
        let opening: string | undefined;
        const steps = async function* () {
          yield* runStep(() => client.prepareSplitter(split), wallet, {
            accept: (result) => review(result, { operation: "prepareSplitter", request: split, draft }),
          });
          for await (const step of runStep(() => client.prepareOpening(request), wallet, {
            accept: (result) => review(result, { operation: "prepareOpening", request, draft }),
          })) {
            opening = step.result.expected?.opening;
            yield step;
          }
        };
        await run(steps());
        if (opening !== undefined) output.line({ opening }, ["opening", opening]);
      });
    });
}

function addDeposit(group: Command, context: Context): void {
  const { output, openClient } = context;
  addSigningOptions(addOpeningArgument(group.command("deposit")))
    .description("deposit native into an opening")
    .argument("<amount>", "native, e.g. 0.25", parseAmount)
    .action(async (address: string, amount: bigint, options: SigningOptions) => {
      const client = openClient();
      await withSigning(options, context, async ({ wallet, review, run }) => {
        const opening = await readOpening(address, context);
        for (const line of describeOpening(opening)) output.note(line);
        const request = { address, wallet: wallet.address, amount: String(amount) };
        const order: Order = { operation: "prepareOpeningDeposit", request, opening };
        await run(
          runStep(() => client.prepareOpeningDeposit(request), wallet, { accept: (result) => review(result, order) }),
        );
      });
    });
}

function addOpen(group: Command, context: Context): void {
  const { output, openClient } = context;
  addSigningOptions(addOpeningArgument(group.command("open")))
    .description("launch the token of your opening: your signature, then the transaction")
    .option(
      "--value <amount>",
      "the native that the launch spends; default: the smaller of cap and deposits",
      parseAmount,
    )
    .option("--draft <id>", "the draft of the opening, whose names of recipients the token then shows", parseDraftId)
    .action(async (address: string, { value, draft, ...options }: OpenOptions) => {
      const client = openClient();
      await withSigning(options, context, async (signing) => {
        const { wallet, review, run, trust } = signing;
        const opening = await readOpening(address, context);
        const more = { ...(value !== undefined && { value: String(value) }), ...(draft && { intent_id: draft }) };
        const authorization = await client.authorizeOpening({ address, ...more });
        const epoch = await readEpoch(signing);
        const asked = { ...more, wallet: wallet.address };
        requireVerified(authorization, { operation: "authorizeOpening", request: asked, opening, epoch }, trust);
        const { value: spent, salt, typed_data: typed } = authorization;
        const { minimumOut } = typed.message.buy;
        const lines = [
          ...describeOpening(opening),
          `spends ${formatAmount(spent)} native of the deposits for ${formatAmount(minimumOut)} tokens`,
        ];
        await signing.confirm(lines, "Sign the launch?");
        const signature = await signing.signTypedData(typed);
        const request = { address, wallet: wallet.address, value: spent, salt, signature, epoch };
        const order: Order = { operation: "prepareOpeningLaunch", request, opening };
        let token: string | undefined;
        const steps = async function* () {
          for await (const step of runStep(() => client.prepareOpeningLaunch(request), wallet, {
            accept: (result) => review(result, order),
          })) {
            token = step.result.expected?.token;
            yield step;
          }
        };
        await run(steps());
        if (token !== undefined) output.line({ token }, ["token", token]);
      });
    });
}

function addClaim(group: Command, context: Context): void {
  addSigningOptions(addOpeningArgument(group.command("claim")))
    .description("claim the tokens and the refund of a depositor")
    .option("--account <address>", "another depositor, who is paid", parseAddress)
    .option("--to <address>", "another receiver of the wallet's own claim", parseAddress)
    .action(async (address: string, { account, to, ...options }: ClaimOptions) => {
      const client = context.openClient();
      await withSigning(options, context, async ({ wallet, review, run }) => {
        const opening = await readOpening(address, context);
        const request = { address, wallet: wallet.address, ...(account && { account }), ...(to && { to }) };
        const order: Order = { operation: "prepareOpeningClaim", request, opening };
        await run(
          runStep(() => client.prepareOpeningClaim(request), wallet, { accept: (result) => review(result, order) }),
        );
      });
    });
}

function addClose(group: Command, context: Context): void {
  addSigningOptions(addOpeningArgument(group.command("close")))
    .description("close an opening whose token was launched without it, so that deposits are refunded")
    .action(async (address: string, options: SigningOptions) => {
      const client = context.openClient();
      await withSigning(options, context, async ({ wallet, review, run }) => {
        const opening = await readOpening(address, context);
        const request = { address, wallet: wallet.address };
        const order: Order = { operation: "prepareOpeningClosing", request, opening };
        await run(
          runStep(() => client.prepareOpeningClosing(request), wallet, { accept: (result) => review(result, order) }),
        );
      });
    });
}

/** Reads an opening. Its terms are compared with the address of the argument, not with one that the service names. */
async function readOpening(address: string, { openClient }: Context): Promise<ShownOpening & OpeningDetail> {
  return { ...(await openClient().getOpening({ address })), address };
}

/** Describes the terms of an opening to the person who signs. */
function describeOpening(opening: OpeningDetail): string[] {
  const { address, blocked, name, symbol, creator, minimum, cap, deadline } = opening;
  return [
    blocked
      ? `opening ${address} by ${creator}, blocked by the operator`
      : `opening of ${symbol}, ${name}, by ${creator}`,
    `launches with ${formatAmount(minimum)} to ${formatAmount(cap)} native until ${toTime(deadline)}`,
  ];
}

/** Reads from the wallet's own node how often the wallet has cancelled its signed launches. */
async function readEpoch({ provider, wallet, trust }: Signing): Promise<number> {
  const call = { to: trust.manifest.current.launch_factory.address, data: createEpochCall(wallet.address) };
  return Number(await provider.send("eth_call", [call, "latest"]));
}

/** Parses a time of ISO 8601 into Unix seconds. */
function parseTime(text: string): number {
  const milliseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (milliseconds > 0) return Math.floor(milliseconds / 1_000);
  throw new InvalidArgumentError("It is not a time with a zone, such as 2027-01-31T12:00Z.");
}
