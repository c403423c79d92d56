// Claims the fees of all tokens of which a wallet is a recipient, in one transaction, as native. Uses viem.
import { createClient } from "@slipway/sdk/createClient";
import { sendable } from "@slipway/sdk/sendable";
import { requireVerified } from "@slipway/sdk/verifyPrepared";
import { createPublicClient, createWalletClient, erc20Abi, http, zeroAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { dev, readTrust, report } from "./devFile.ts";

/** The maximum of a claim: their first claims fit into one transaction. */
const maxTokens = 20;

const client = createClient({ baseUrl: dev.base_url, apiKey: dev.api_key });
const trust = await readTrust();
const account = privateKeyToAccount(dev.wallets[0]!.private_key);
const transport = http(dev.rpc_url);
const chain = createPublicClient({ transport, pollingInterval: 50 });

// `recipient_of` of the wallet names the tokens; `claimable` there has only settled amounts, so it selects nothing.
const { recipient_of } = await client.getWallet({ address: account.address });
const tokens = recipient_of.slice(0, maxTokens).map(({ token }) => token.address);
const request = { wallet: account.address, tokens, unwrap: true };
const result = await client.prepareClaimCalls(request);
requireVerified(result, { operation: "prepareClaimCalls", request }, trust);
for (const { code, message } of result.warnings) console.log(`warning ${code}: ${message}`);

const amounts = result.expected?.amounts ?? [];
const assets = [...new Set(amounts.map(({ asset }) => asset as `0x${string}`))];
const readBalance = async (asset: `0x${string}`) =>
  asset === zeroAddress
    ? await chain.getBalance({ address: account.address })
    : await chain.readContract({ address: asset, abi: erc20Abi, functionName: "balanceOf", args: [account.address] });
const before = await Promise.all(assets.map(readBalance));

const transaction = sendable(result);
let networkFee = 0n;
if (transaction === null) console.log("There is nothing to claim.");
else {
  const { to, data, value, gas } = transaction;
  const wallet = createWalletClient({ account, transport });
  const hash = await wallet.sendTransaction({ chain: null, to, data, value, gas });
  const receipt = await chain.waitForTransactionReceipt({ hash });
  if (receipt.status !== "success") throw new Error(`${hash} reverted`);
  networkFee = receipt.gasUsed * receipt.effectiveGasPrice;
}

for (const [index, asset] of assets.entries()) {
  const paid = amounts.filter((each) => each.asset === asset).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const fee = asset === zeroAddress ? networkFee : 0n;
  report(`fees in ${asset}`, before[index]! + paid - fee, await readBalance(asset));
}
