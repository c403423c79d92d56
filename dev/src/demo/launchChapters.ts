import type { Draft, Intent } from "@slipway/protocol/intent";
import type { UnsignedResult } from "@slipway/protocol/transaction";
import { hexlify, randomBytes, ZeroAddress } from "ethers";
import {
  feeLockerAbi,
  feeSplitterAbi,
  launchFactoryAbi,
  poolAbi,
  tokenAbi,
  uniswapFactoryAbi,
} from "./contractAbis.ts";
import type { Scene } from "./scene.ts";
import { DemoFailure } from "./story.ts";

/** What the launch put on the chain, as its own event says. */
export type Launch = {
  draft: Draft;
  token: string;
  pool: string;
  splitter: string;
  tickStart: number;
  blockNumber: number;
  txHash: string;
};

const totalSupply = 10n ** 27n;

/** Chapter: a private draft, stored once however often it is sent. */
export async function draftChapter(scene: Scene): Promise<Draft> {
  const { story, api, creator, collaborator } = scene;
  story.chapter(
    "A private draft",
    "The creator describes the token and who shares its fees. Nothing is on the chain yet.",
  );
  const intent: Intent = {
    name: "Demo Lighthouse",
    symbol: "DEMO",
    description: "Launched by npm run demo: a light that anybody may follow.",
    image_uri: "https://example.com/slipway-demo/lighthouse.png",
    website: "https://example.com/lighthouse",
    chain_id: scene.chainId as Intent["chain_id"],
    recipients: [
      { provider: "wallet", wallet: creator.address, share_bps: 6_500 },
      { provider: "code_host", handle: "lighthouse-keeper", wallet: collaborator.address, share_bps: 3_500 },
    ],
    fee_bps: 100,
  };
  const headers = { "idempotency-key": `demo-${crypto.randomUUID()}` };
  const draft = await api.post<Draft>("/intents", intent, headers);
  story.fact("draft", draft.id);
  story.fact("shares", `65% ${creator.address} (creator), 35% ${collaborator.address} (collaborator)`);
  const again = await api.post<Draft>("/intents", intent, headers);
  story.same("the same request with the same Idempotency-Key makes no second draft", again.id, draft.id);
  const { items } = await api.get<{ items: Draft[] }>("/intents");
  story.holds(
    "the draft is in the account's list",
    items.some(({ id }) => id === draft.id),
  );
  return draft;
}

/** Chapter: the splitter that will divide the fees, deployed by the creator. */
export async function splitterChapter(scene: Scene, draft: Draft): Promise<string> {
  const { story, api, creator } = scene;
  story.chapter(
    "The fee splitter",
    "An immutable contract with exactly the draft's shares, deployed by the creator's own wallet.",
  );
  const prepared = await api.post<UnsignedResult>("/splits/transactions", {
    intent_id: draft.id,
    wallet: creator.address,
  });
  const receipt = await scene.sign(creator, prepared);
  const splitter = receipt.contractAddress;
  if (splitter === null) throw new DemoFailure("the splitter's transaction created no contract");
  story.fact("splitter", splitter);
  story.same("the splitter is where the service predicted it", splitter, prepared.expected?.splitter);
  const [payees, shares] = await scene.read<[string[], bigint[]]>(splitter, feeSplitterAbi, "allocations");
  const recipients = draft.intent.recipients ?? [];
  const pairs = payees.map((payee, index) => [payee, Number(shares[index])]);
  const byPayee = (a: unknown[], b: unknown[]) => String(a[0]).toLowerCase().localeCompare(String(b[0]).toLowerCase());
  story.same(
    "its allocations on the chain are the draft's",
    pairs.sort(byPayee),
    recipients.map((r) => [r.wallet, r.share_bps]).sort(byPayee),
  );
  return splitter;
}

/** Chapter: the launch itself; everything the draft said is read back from the chain. */
export async function launchChapter(scene: Scene, draft: Draft, splitter: string): Promise<Launch> {
  const { story, api, creator, manifest } = scene;
  story.chapter("The launch", "Token, Uniswap v3 pool and the locked supply in one transaction of the creator's.");
  const prepared = await api.post<UnsignedResult>("/launch/transactions", {
    intent_id: draft.id,
    wallet: creator.address,
    splitter,
    salt: hexlify(randomBytes(32)),
  });
  const receipt = await scene.sign(creator, prepared);
  const factory = manifest.current.launch_factory.address;
  const log = receipt.logs.find(
    (entry) => entry.address === factory && entry.topics[0] === launchFactoryAbi.getEvent("Launched")?.topicHash,
  );
  const launched = log && launchFactoryAbi.parseLog(log)?.args;
  if (!launched) throw new DemoFailure("the launch's receipt has no Launched event of the pinned factory");
  const { token, pool } = launched as unknown as { token: string; pool: string };
  story.fact("token", token);
  story.fact("pool", pool);
  story.same(
    "token and pool are where the service predicted them",
    [token, pool],
    [prepared.expected?.token, prepared.expected?.pool],
  );
  await checkToken(scene, draft, token, launched.contractURI);
  await checkPolicy(scene, token, pool, splitter);
  story.same(
    "the event names creator and splitter",
    [launched.creator, launched.splitter],
    [creator.address, splitter],
  );
  const startTick = manifest.current.start_tick;
  const tokenIsToken0 = BigInt(token) < BigInt(scene.weth);
  story.same(
    "the pool starts at the manifest's price",
    Number(launched.tickStart),
    tokenIsToken0 ? -startTick : startTick,
  );
  const slot = await scene.read<{ tick: bigint }>(pool, poolAbi, "slot0");
  story.same("and the pool itself says so", Number(slot.tick), Number(launched.tickStart));
  return {
    draft,
    token,
    pool,
    splitter,
    tickStart: Number(launched.tickStart),
    blockNumber: receipt.blockNumber,
    txHash: receipt.hash,
  };
}

async function checkToken(scene: Scene, draft: Draft, address: string, contractUri: string): Promise<void> {
  const views = ["name", "symbol", "decimals", "totalSupply"];
  const answers = await Promise.all(views.map((view) => scene.read(address, tokenAbi, view)));
  scene.story.same("the token's name, symbol and supply are the draft's and a billion", answers, [
    draft.intent.name,
    draft.intent.symbol,
    18n,
    totalSupply,
  ]);
  scene.story.same("its metadata are on the chain", await scene.read(address, tokenAbi, "contractURI"), contractUri);
  const { description, image_uri } = draft.intent;
  const document = decodedDocument(contractUri);
  scene.story.same("and are the draft's", [document.description, document.image], [description, image_uri]);
}

/** The JSON inside a `data:application/json` URI, plain or base64. */
function decodedDocument(uri: string): Record<string, unknown> {
  const [head = "", ...rest] = uri.split(",");
  const body = rest.join(",");
  const text = head.endsWith(";base64") ? Buffer.from(body, "base64").toString("utf8") : decodeURIComponent(body);
  return JSON.parse(text) as Record<string, unknown>;
}

async function checkPolicy(scene: Scene, token: string, pool: string, splitter: string): Promise<void> {
  const { story, manifest, weth } = scene;
  const factory = manifest.uniswap.factory.address;
  const uniswapPool = await scene.read(factory, uniswapFactoryAbi, "getPool", token, weth, 10_000);
  story.same("the pool is Uniswap's own 1% pool of the two", uniswapPool, pool);
  const locker = manifest.current.fee_locker.address;
  const position = await scene.read<Record<string, unknown>>(locker, feeLockerAbi, "positionOf", token);
  story.same(
    "the locker froze splitter and policy: 100 bp, 10 of them the protocol's, no partner",
    [position.pool, position.splitter, position.totalFeeBps, position.protocolFeeBps, position.partner],
    [pool, splitter, 100n, 10n, ZeroAddress],
  );
  const left = totalSupply - (await scene.balance(token, pool));
  story.holds("the whole supply is in the pool, but for rounding", left >= 0n && left < 10n ** 9n, `${left} outside`);
}
