import type { Draft, Intent } from "@slipway/protocol/intent";
import type { UnsignedResult } from "@slipway/protocol/transaction";
import { keccak256, stringToHex } from "viem";
import { type ServiceApi, ServiceError } from "../service/serviceApi.ts";
import type { SignAndSend } from "../chain/signAndSend.ts";
import { type Wallet, walletsOf } from "../chain/wallets.ts";
import { StackError } from "../stack/stackError.ts";

export type DemoTokensParameters = { api: ServiceApi; send: SignAndSend; chainId: number };

type Address = `0x${string}`;
type ListedTokens = { items: { address: Address; symbol: string; creator: Address }[] };
type DemoToken = Pick<Intent, "name" | "symbol" | "description">;

const demoTokens: DemoToken[] = [
  { name: "Harbor Light", symbol: "HARBOR", description: "A demo token of the local stack: the lamp on the pier." },
  { name: "Tide Table", symbol: "TIDE", description: "A demo token of the local stack: up and down, twice a day." },
  { name: "Copper Kettle", symbol: "KETTLE", description: "A demo token of the local stack: whistles when hot." },
];

/**
 * Launches the demo tokens that do not exist yet through the service's own API, each by its own creator: private
 * draft, splitter, launch, signed by local wallets. Waits until the service lists them.
 *
 * @returns the addresses of all demo tokens, and how many were launched now
 */
export async function ensureDemoTokens(
  parameters: DemoTokensParameters,
): Promise<{ tokens: Address[]; launched: number }> {
  const creators = walletsOf("creators");
  const results = await Promise.all(
    demoTokens.map(async (token, index) => {
      const creator = creators[index] as Wallet;
      const existing = await findToken(parameters.api, token.symbol, creator.address);
      return { launched: existing === null, address: existing ?? (await launchToken(parameters, token, creator)) };
    }),
  );
  return { tokens: results.map((r) => r.address), launched: results.filter((r) => r.launched).length };
}

async function findToken(api: ServiceApi, symbol: string, creator: Address): Promise<Address | null> {
  const { items } = await api.get<ListedTokens>(`/tokens?q=${symbol}&limit=300`);
  const own = items.filter((item) => item.symbol === symbol && item.creator.toLowerCase() === creator.toLowerCase());
  return own[0]?.address ?? null;
}

async function launchToken(parameters: DemoTokensParameters, token: DemoToken, creator: Wallet): Promise<Address> {
  const { api, send, chainId } = parameters;
  const intent: Intent = {
    ...token,
    image_uri: `https://example.com/slipway-demo/${token.symbol.toLowerCase()}.png`,
    website: "https://example.com/slipway-demo",
    chain_id: chainId as Intent["chain_id"],
    recipients: [
      { provider: "wallet", wallet: creator.address, share_bps: 7_000 },
      {
        provider: "code_host",
        handle: "slipway-demo",
        wallet: walletsOf("traders")[0]?.address ?? "",
        share_bps: 3_000,
      },
    ],
  };
  // A new key for each launch: after a lost chain the same tokens are drafted again.
  const key = `demo-${token.symbol}-${crypto.randomUUID()}`;
  const draft = await api.post<Draft>("/intents", intent, { "idempotency-key": key });
  const split = await api.post<UnsignedResult>("/splits/transactions", {
    intent_id: draft.id,
    wallet: creator.address,
  });
  if (split.transaction === null) throw new Error(`the splitter of ${token.symbol} came without a transaction`);
  const splitter = (await send(creator, split.transaction)).contractAddress;
  const launch = await api.post<UnsignedResult>("/launch/transactions", {
    intent_id: draft.id,
    wallet: creator.address,
    splitter,
    salt: keccak256(stringToHex(draft.id)),
  });
  const address = launch.expected?.token;
  if (launch.transaction === null || address === undefined) {
    throw new Error(`the launch of ${token.symbol} came without a transaction or a token address`);
  }
  await send(creator, launch.transaction);
  await untilListed(api, address as Address);
  return address as Address;
}

/** Waits until the index shows the token. @throws StackError after 30 s */
export async function untilListed(api: ServiceApi, token: Address): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      await api.get(`/tokens/${token}`);
      return;
    } catch (error) {
      if (!(error instanceof ServiceError && (error.status === 404 || error.retryable))) throw error;
      if (Date.now() > deadline) {
        throw new StackError(
          `The token ${token} was launched, but after 30 s the service still answers: ${error.message}`,
          "Its indexer is stuck or far behind; server.log in the state folder says why.",
          { cause: error },
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
