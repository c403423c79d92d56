// Launches a token with a first buy, and ends with the bought tokens in the creator's wallet. Uses viem.
import { createClient } from "@slipway/sdk/createClient";
import { launchToken } from "@slipway/sdk/launchToken";
import { requireVerified } from "@slipway/sdk/verifyPrepared";
import { viemWallet } from "@slipway/sdk/viemWallet";
import { createPublicClient, createWalletClient, erc20Abi, http, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { dev, readTrust, report } from "./devFile.ts";

const client = createClient({ baseUrl: dev.base_url, apiKey: dev.api_key });
const trust = await readTrust();
const account = privateKeyToAccount(dev.wallets[0]!.private_key);
const transport = http(dev.rpc_url);
const chain = createPublicClient({ transport, pollingInterval: 50 });
const wallet = viemWallet(createWalletClient({ account, transport }), chain);

const intent = {
  name: "Example Ferry",
  symbol: "FERRY",
  image_uri: "https://example.com/ferry.png",
  chain_id: dev.chain_id,
  recipients: [{ provider: "wallet" as const, wallet: account.address, share_bps: 10_000 }],
};
// The same key in a retry stores no second draft.
const { id } = await client.createIntent(intent, { idempotencyKey: `ferry-${Date.now()}` });
const initial_buy = { amount_in: parseEther("0.01").toString(), slippage_bps: 100 };
await client.putIntentOptions({ id, initial_buy });
const draft = await client.getIntent({ id });

/** The splitter that this program created: its creation is verified before it is signed. */
let provenSplitter: string | null = null;
let promised = 0n;
let token: `0x${string}` | undefined;
const steps = launchToken(client, wallet, id, {
  // Compares each transaction with the draft and the manifest before the wallet signs.
  accept: (result, asked) => {
    if (asked.operation === "prepareLaunch") requireVerified(result, { ...asked, draft, provenSplitter }, trust);
    else requireVerified(result, { ...asked, draft }, trust);
    promised = BigInt(result.expected?.amount_out ?? 0);
    return true;
  },
});
for await (const step of steps) {
  if (step.state === "launched") token = step.token as `0x${string}`;
  else console.log(step.result.action, step.state);
  if (step.state === "confirmed") provenSplitter ??= step.receipt.contractAddress ?? null;
}
console.log(`token ${token}`);
const read = { address: token!, abi: erc20Abi, functionName: "balanceOf", args: [account.address] } as const;
report("FERRY of the creator", promised, await chain.readContract(read));
