/**
 * A launch over a client that a generator made of the service's OpenAPI document: draft, splitter, launch, and the token in the
 * index. The types of the generated client must fit `LaunchApi`. Compiled and run by tests/support/generators.
 */
import { hexlify, JsonRpcProvider, randomBytes, type TransactionReceipt, Wallet } from "ethers";

type Prepared = {
  transaction: { to?: string; data: string; value: string; gas: string } | null;
  expected?: { token?: string };
};

type Intent = {
  name: string;
  symbol: string;
  image_uri: string;
  chain_id: 4663 | 46630;
  recipients: { provider: "wallet"; wallet: string; share_bps: number }[];
};

export type LaunchApi = {
  getConfig(): Promise<{ chain_id: number }>;
  createIntent(intent: Intent, idempotencyKey: string): Promise<{ id: string }>;
  prepareSplitter(body: { intent_id: string; wallet: string }): Promise<Prepared>;
  prepareLaunch(body: { intent_id: string; wallet: string; splitter: string; salt: string }): Promise<Prepared>;
  /** Null while the index does not have the token. */
  findToken(address: string): Promise<{ name: string; fee_bps: number | null } | null>;
};

/** The settings of a program. */
export const { SITE_URL, API_KEY, RPC_URL, CREATOR_KEY } = process.env as Record<string, string>;

/** Launches a token with a name, and prints its address, name and fee. */
export async function launch(api: LaunchApi, name: string): Promise<void> {
  const provider = new JsonRpcProvider(RPC_URL!, undefined, { pollingInterval: 40, cacheTimeout: -1 });
  const wallet = new Wallet(CREATOR_KEY!, provider);
  const send = async ({ transaction }: Prepared): Promise<TransactionReceipt> => {
    if (transaction === null) throw new Error("there is nothing to sign");
    const { to, data, value, gas } = transaction;
    // ethers calls it gasLimit, and ignores `gas`.
    const sent = await wallet.sendTransaction({ ...(to !== undefined && { to }), data, value, gasLimit: gas });
    const receipt = await sent.wait();
    if (receipt?.status !== 1) throw new Error(`${sent.hash} failed`);
    return receipt;
  };
  const config = await api.getConfig();
  const intent: Intent = {
    name,
    symbol: "GEN",
    image_uri: "https://cdn.example/generated.png",
    chain_id: config.chain_id as Intent["chain_id"],
    recipients: [{ provider: "wallet", wallet: wallet.address, share_bps: 10_000 }],
  };
  const draft = await api.createIntent(intent, `generated-${Date.now()}`);
  const { contractAddress } = await send(await api.prepareSplitter({ intent_id: draft.id, wallet: wallet.address }));
  const salt = hexlify(randomBytes(32));
  const order = { intent_id: draft.id, wallet: wallet.address, splitter: contractAddress!, salt };
  const prepared = await api.prepareLaunch(order);
  await send(prepared);
  const address = prepared.expected!.token!;
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 40))) {
    const token = await api.findToken(address);
    if (token === null) continue;
    provider.destroy();
    process.stdout.write(JSON.stringify({ address, name: token.name, fee_bps: token.fee_bps }));
    return;
  }
  throw new Error("the token is not indexed within a minute");
}
