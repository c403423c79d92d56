import type { Intent } from "@slipway/protocol/intent";
import type { Opening } from "@slipway/protocol/openings";
import { parseEther, type Wallet } from "ethers";
import { openingAbi, openingFactoryAbi } from "./contractAbis.ts";
import { type DemoContext, DemoFailure, formatAmount } from "./demoContext.ts";
import { waitUntilListed } from "./demoTokens.ts";

const minimum = parseEther("0.3");
const cap = parseEther("0.4");
const pollMs = 250;
const maxPolls = 240;

/** Launches a token by an opening of four depositors, and pays each its tokens and the rest of its deposit. */
export async function openingStep(context: DemoContext): Promise<void> {
  const { reporter, client, creator, collaborator, trader, depositor } = context;
  reporter.step(
    "An opening at one price",
    "Four wallets deposit. The launch spends the deposits in one buy, so that all of them pay the same price.",
  );
  const address = await createOpening(context);
  const deposits: [Wallet, bigint][] = [
    [creator, parseEther("0.05")],
    [collaborator, parseEther("0.1")],
    [trader, parseEther("0.15")],
    [depositor, parseEther("0.2")],
  ];
  const total = deposits.reduce((sum, [, amount]) => sum + amount, 0n);
  for (const [wallet, amount] of deposits) {
    const order = { address, wallet: wallet.address, amount: amount.toString() };
    await context.sign(wallet, await client.prepareOpeningDeposit(order));
  }
  const shown = await waitFor(context, address, (opening) => opening.total === total.toString());
  reporter.expectEqual("the service shows all deposits", [shown.depositors, shown.status], [4, "ready"]);
  reporter.expectEqual("the contract has all deposits", await context.read(address, openingAbi, "total"), total);

  const offer = await client.authorizeOpening({ address });
  const { EIP712Domain: _, ...types } = offer.typed_data.types;
  const signature = await creator.signTypedData(offer.typed_data.domain, types, offer.typed_data.message);
  const { value, salt } = offer;
  const launch = await client.prepareOpeningLaunch({ address, wallet: trader.address, value, salt, signature });
  await context.sign(trader, launch);
  const { token, amount_out: bought = "0" } = launch.expected ?? {};
  if (token === undefined) throw new DemoFailure("the launch's answer names no token");
  await waitUntilListed(client, token);
  reporter.expectEqual("the launch spends the cap", BigInt(value), cap);
  reporter.expectEqual("the opening has all bought tokens", await context.balance(token, address), BigInt(bought));

  for (const [wallet, amount] of deposits)
    await claim(context, { address, token, total, bought: BigInt(bought) }, wallet, amount);
  const done = await waitFor(context, address, ({ status }) => status === "done");
  reporter.value("price", `${done.opened?.price_eth} native for everybody`);
}

async function createOpening(context: DemoContext): Promise<string> {
  const { client, creator, reporter, manifest } = context;
  const draft = await client.createIntent({
    name: "Demo Harbour",
    symbol: "HARBOUR",
    image_uri: "https://example.com/slipway-demo/harbour.png",
    chain_id: context.chainId as Intent["chain_id"],
    recipients: [{ provider: "wallet", wallet: creator.address, share_bps: 10_000 }],
  });
  const order = { intent_id: draft.id, wallet: creator.address };
  await context.sign(creator, await client.prepareSplitter({ ...order, method: "factory" }));
  const deadline = Math.floor(Date.now() / 1_000) + 3_600;
  const terms = { minimum: minimum.toString(), cap: cap.toString(), deadline };
  const created = await client.prepareOpening({ ...order, ...terms });
  await context.sign(creator, created);
  const address = created.expected?.opening;
  if (address === undefined) throw new DemoFailure("the answer names no opening");
  const factory = manifest.current.opening_factory.address;
  const isRecorded = await context.read<boolean>(factory, openingFactoryAbi, "isOpening", address);
  reporter.expectEqual("the opening factory has recorded it", isRecorded, true);
  await waitFor(context, address, () => true);
  return address;
}

/** Waits until the service shows an opening in a state. */
async function waitFor(
  { client, creator }: DemoContext,
  address: string,
  isReached: (opening: Opening) => boolean,
): Promise<Opening> {
  for (let poll = 0; poll < maxPolls; poll++) {
    const { items } = await client.listOpenings({ creator: creator.address });
    const found = items.find((opening) => opening.address === address);
    if (found !== undefined && isReached(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new DemoFailure(`the opening ${address} does not reach its state`);
}

type Launched = { address: string; token: string; total: bigint; bought: bigint };

/** Claims the part of a depositor by a transaction of the collaborator, and compares it with the formulas. */
async function claim(
  context: DemoContext,
  { address, token, total, bought }: Launched,
  wallet: Wallet,
  amount: bigint,
): Promise<void> {
  const { client, collaborator, provider, reporter } = context;
  const tokens = (bought * amount) / total;
  const refund = (amount * (total - cap)) / total;
  const before = await provider.getBalance(wallet.address);
  const heldBefore = await context.balance(token, wallet.address);
  const order = { address, wallet: collaborator.address, account: wallet.address };
  let prepared = await client.prepareOpeningClaim(order);
  // Claims start in the second after the launch.
  for (let poll = 0; poll < maxPolls && prepared.status !== "ready"; poll++) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    prepared = await client.prepareOpeningClaim(order);
  }
  const receipt = await context.sign(collaborator, prepared);
  const fee = wallet.address === collaborator.address ? receipt.fee : 0n;
  const received = (await provider.getBalance(wallet.address)) - before + fee;
  const name = `${wallet.address.slice(0, 8)}…`;
  const held = await context.balance(token, wallet.address);
  reporter.expectEqual(`${name} has ${formatAmount(tokens, "HARBOUR")}`, held - heldBefore, tokens);
  reporter.expectEqual(`${name} has ${formatAmount(refund, "native")} back`, received, refund);
}
