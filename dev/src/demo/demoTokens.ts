import { setTimeout as sleep } from "node:timers/promises";
import type { Intent } from "@slipway/protocol/intent";
import { ApiError } from "@slipway/sdk/apiError";
import type { Client } from "@slipway/sdk/createClient";
import { keccak256, stringToHex } from "viem";
import type { SignAndSend } from "../chain/rpcRequest.ts";
import { getWallet, getWallets, type Wallet } from "../chain/wallets.ts";
import { StackError } from "../stack/stackError.ts";
import { drawPicture, type Motif } from "./drawPicture.ts";

export type DemoTokensParameters = { client: Client; send: SignAndSend; chainId: number };

type Address = `0x${string}`;
type DemoToken = Pick<Intent, "name" | "symbol" | "description"> & { picture: [motif: Motif, hue: number] };

const listedTimeoutMs = 120_000;
const pinnedTimeoutMs = 120_000;

const demoTokens: DemoToken[] = [
  {
    name: "Harbor Light",
    symbol: "HARBOR",
    description: "A demo token of the local stack: the lamp on the pier.",
    picture: ["lighthouse", 200],
  },
  {
    name: "Tide Table",
    symbol: "TIDE",
    description: "A demo token of the local stack: up and down, twice a day.",
    picture: ["waves", 185],
  },
  {
    name: "Copper Kettle",
    symbol: "KETTLE",
    description: "A demo token of the local stack: whistles when hot.",
    picture: ["kettle", 18],
  },
];

/**
 * Launches the missing demo tokens through the service's own API, each with its own creator: private draft, splitter,
 * launch, signed by local wallets. Waits until the service lists them.
 *
 * @returns the addresses of all demo tokens, and the number launched now
 */
export async function ensureDemoTokens(
  parameters: DemoTokensParameters,
): Promise<{ tokens: Address[]; launched: number }> {
  const creators = getWallets("creators");
  const results = await Promise.all(
    demoTokens.map(async (token, index) => {
      const creator = creators[index]!;
      const existing = await findToken(parameters.client, token.symbol, creator.address);
      return { launched: existing === undefined, address: existing ?? (await launchToken(parameters, token, creator)) };
    }),
  );
  return { tokens: results.map((r) => r.address as Address), launched: results.filter((r) => r.launched).length };
}

async function findToken(client: Client, symbol: string, creator: string): Promise<string | undefined> {
  const { items } = await client.listTokens({ q: symbol, limit: 300 });
  const isOwn = (item: (typeof items)[number]) =>
    item.symbol === symbol && item.creator?.toLowerCase() === creator.toLowerCase();
  return items.find(isOwn)?.address;
}

async function launchToken(
  { client, send, chainId }: DemoTokensParameters,
  { picture, ...token }: DemoToken,
  creator: Wallet,
): Promise<string> {
  const wallet = creator.address;
  const uri = await uploadPinned(client, await drawPicture(...picture));
  const intent: Intent = {
    ...token,
    image_uri: uri,
    website: "https://example.com/slipway-demo",
    chain_id: chainId as Intent["chain_id"],
    recipients: [
      { provider: "wallet", wallet, share_bps: 7_000 },
      { provider: "code_host", handle: "slipway-demo", wallet: getWallet("traders").address, share_bps: 3_000 },
    ],
  };
  // Uses a new key for each launch: after the loss of the chain, the same tokens are drafted again.
  const idempotencyKey = `demo-${token.symbol}-${crypto.randomUUID()}`;
  const { id } = await client.createIntent(intent, { idempotencyKey });
  const split = await client.prepareSplitter({ intent_id: id, wallet });
  if (split.transaction === null) throw new Error(`the splitter of ${token.symbol} has no transaction`);
  const { contractAddress: splitter } = await send(creator, split.transaction);
  if (!splitter) throw new Error(`the transaction of ${token.symbol}'s splitter created no contract`);
  const launch = await client.prepareLaunch({ intent_id: id, wallet, splitter, salt: keccak256(stringToHex(id)) });
  const address = launch.expected?.token;
  if (launch.transaction === null || address === undefined) {
    throw new Error(`the launch of ${token.symbol} has no transaction or no token address`);
  }
  await send(creator, launch.transaction);
  await waitUntilListed(client, address);
  return address;
}

/**
 * Uploads a picture of a launch and waits for its IPFS URI: a local URL cannot be launched. @throws StackError after 30
 * s
 */
async function uploadPinned(client: Client, file: Uint8Array<ArrayBuffer>): Promise<string> {
  const deadline = Date.now() + pinnedTimeoutMs;
  for (;;) {
    const { uri } = await client.uploadImage({ file });
    if (uri.startsWith("ipfs://")) return uri;
    if (Date.now() > deadline) {
      throw new StackError(
        "A picture of the demo was uploaded, but after two minutes it is not pinned.",
        "server.log in the state folder has the reason.",
      );
    }
    await sleep(200);
  }
}

/** Waits until the index shows the token. @throws StackError after two minutes */
export async function waitUntilListed(client: Client, token: string): Promise<void> {
  const deadline = Date.now() + listedTimeoutMs;
  for (;;) {
    try {
      await client.getToken({ address: token });
      return;
    } catch (error) {
      if (!(error instanceof ApiError && (error.status === 404 || error.retryable))) throw error;
      if (Date.now() > deadline) {
        throw new StackError(
          `The token ${token} was launched, but after two minutes the service still returns: ${error.message}`,
          "Its indexer has stopped or is far behind; server.log in the state folder has the reason.",
          { cause: error },
        );
      }
      await sleep(50);
    }
  }
}
