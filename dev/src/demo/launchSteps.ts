import type { Draft, Intent } from "@slipway/protocol/intent";
import { hexlify, randomBytes, ZeroAddress } from "ethers";
import {
  feeLockerAbi,
  feeSplitterAbi,
  launchFactoryAbi,
  poolAbi,
  tokenAbi,
  uniswapFactoryAbi,
} from "./contractAbis.ts";
import { type DemoContext, DemoFailure } from "./demoContext.ts";

/** The addresses that the launch created on the chain, from its event. */
export type Launch = {
  draft: Draft;
  token: string;
  pool: string;
  splitter: string;
  blockNumber: number;
  txHash: string;
};

const totalSupply = 10n ** 27n;

/** Stores a private draft, which exists once although it is sent twice. */
export async function draftStep(context: DemoContext, imageUri: string): Promise<Draft> {
  const { reporter, client, creator, collaborator } = context;
  reporter.step(
    "A private draft",
    "The creator describes the token and who shares its fees. Nothing is on the chain yet.",
  );
  const intent: Intent = {
    name: "Demo Lighthouse",
    symbol: "DEMO",
    description: "Launched by npm run demo: a light that anybody may follow.",
    image_uri: imageUri,
    website: "https://example.com/lighthouse",
    chain_id: context.chainId as Intent["chain_id"],
    recipients: [
      { provider: "wallet", wallet: creator.address, share_bps: 6_500 },
      { provider: "code_host", handle: "lighthouse-keeper", wallet: collaborator.address, share_bps: 3_500 },
    ],
    fee_bps: 100,
  };
  const idempotencyKey = `demo-${crypto.randomUUID()}`;
  const draft = await client.createIntent(intent, { idempotencyKey });
  reporter.value("draft", draft.id);
  reporter.value("shares", `65% ${creator.address} (creator), 35% ${collaborator.address} (collaborator)`);
  const again = await client.createIntent(intent, { idempotencyKey });
  reporter.expectEqual("the same request with the same Idempotency-Key makes no second draft", again.id, draft.id);
  const { items } = await client.listIntents();
  const isListed = items.some(({ id }) => id === draft.id);
  reporter.expectTrue("the draft is in the account's list", isListed);
  return draft;
}

/** Deploys the splitter, which will divide the fees, from the creator's wallet. */
export async function splitterStep(context: DemoContext, draft: Draft): Promise<string> {
  const { reporter, client, creator } = context;
  reporter.step(
    "The fee splitter",
    "An immutable contract with exactly the draft's shares, deployed by the creator's own wallet.",
  );
  const prepared = await client.prepareSplitter({ intent_id: draft.id, wallet: creator.address });
  const { contractAddress: splitter } = await context.sign(creator, prepared);
  if (splitter === null) throw new DemoFailure("the splitter's transaction created no contract");
  reporter.value("splitter", splitter);
  reporter.expectEqual("the splitter is where the service predicted it", splitter, prepared.expected?.splitter);
  const [payees, shares] = await context.read<[string[], bigint[]]>(splitter, feeSplitterAbi, "allocations");
  const sort = (pairs: [payee: string, shareBps: number][]) =>
    pairs.sort(([a], [b]) => a.toLowerCase().localeCompare(b.toLowerCase()));
  reporter.expectEqual(
    "its allocations on the chain are the draft's",
    sort(payees.map((payee, index) => [payee, Number(shares[index])])),
    sort((draft.intent.recipients ?? []).map(({ wallet, share_bps }) => [wallet, share_bps])),
  );
  return splitter;
}

/** Launches the token and reads every field of the draft back from the chain. */
export async function launchStep(context: DemoContext, draft: Draft, splitter: string): Promise<Launch> {
  const { reporter, client, creator, manifest } = context;
  reporter.step("The launch", "Token, Uniswap v3 pool and the locked supply in one transaction of the creator.");
  const salt = hexlify(randomBytes(32));
  const prepared = await client.prepareLaunch({ intent_id: draft.id, wallet: creator.address, splitter, salt });
  const receipt = await context.sign(creator, prepared);
  const { launch_factory: factory, start_tick: startTick } = manifest.current;
  const topic = launchFactoryAbi.getEvent("Launched")?.topicHash;
  const log = receipt.logs.find(({ address, topics }) => address === factory.address && topics[0] === topic);
  const launched = log && launchFactoryAbi.parseLog(log)?.args;
  if (!launched) throw new DemoFailure("the launch's receipt has no Launched event of the pinned factory");
  const { token, pool } = launched as unknown as { token: string; pool: string };
  const { expected } = prepared;
  reporter.value("token", token);
  reporter.value("pool", pool);
  reporter.expectEqual(
    "token and pool are where the service predicted them",
    [token, pool],
    [expected?.token, expected?.pool],
  );
  await checkToken(context, draft, token, launched.contractURI);
  await checkPolicy(context, token, pool, splitter);
  const parties = [launched.creator, launched.splitter];
  reporter.expectEqual("the event names creator and splitter", parties, [creator.address, splitter]);
  const tickStart = Number(launched.tickStart);
  const tokenIsToken0 = BigInt(token) < BigInt(context.weth);
  reporter.expectEqual("the pool starts at the manifest's price", tickStart, tokenIsToken0 ? -startTick : startTick);
  const slot = await context.read<{ tick: bigint }>(pool, poolAbi, "slot0");
  reporter.expectEqual("and the pool itself has that price", Number(slot.tick), tickStart);
  return { draft, token, pool, splitter, blockNumber: receipt.blockNumber, txHash: receipt.hash };
}

async function checkToken(context: DemoContext, draft: Draft, address: string, contractUri: string): Promise<void> {
  const { reporter } = context;
  const { name, symbol, description, image_uri } = draft.intent;
  const read = (view: string) => context.read(address, tokenAbi, view);
  const [uri, ...identity] = await Promise.all(["contractURI", "name", "symbol", "decimals", "totalSupply"].map(read));
  const expected = [name, symbol, 18n, totalSupply];
  reporter.expectEqual("the token's name, symbol and supply are the draft's and a billion", identity, expected);
  reporter.expectEqual("its metadata are on the chain", uri, contractUri);
  const document = decodeDocument(contractUri);
  reporter.expectEqual("and are the draft's", [document.description, document.image], [description, image_uri]);
}

/** Decodes the JSON of a `data:application/json` URI, plain or base64. */
function decodeDocument(uri: string): Record<string, unknown> {
  const [head = "", ...rest] = uri.split(",");
  const body = rest.join(",");
  const text = head.endsWith(";base64") ? Buffer.from(body, "base64").toString("utf8") : decodeURIComponent(body);
  return JSON.parse(text) as Record<string, unknown>;
}

async function checkPolicy(context: DemoContext, token: string, pool: string, splitter: string): Promise<void> {
  const { reporter, manifest, weth } = context;
  const factory = manifest.uniswap.factory.address;
  const uniswapPool = await context.read(factory, uniswapFactoryAbi, "getPool", token, weth, 10_000);
  reporter.expectEqual("the pool is Uniswap's own 1% pool of the two", uniswapPool, pool);
  const locker = manifest.current.fee_locker.address;
  const position = await context.read<Record<string, unknown>>(locker, feeLockerAbi, "positionOf", token);
  reporter.expectEqual(
    "the locker froze splitter and policy: 100 bp, 10 of them the protocol's, no partner",
    [position.pool, position.splitter, position.totalFeeBps, position.protocolFeeBps, position.partner],
    [pool, splitter, 100n, 10n, ZeroAddress],
  );
  const rest = totalSupply - (await context.balance(token, pool));
  const isInPool = rest >= 0n && rest < 10n ** 9n;
  reporter.expectTrue("the whole supply is in the pool, except for rounding", isInPool, `${rest} outside`);
}
