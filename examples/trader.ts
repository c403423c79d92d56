// Buys a token with native, and sells half of it with a permit instead of an approval. Uses ethers.
// Run: node examples/trader.ts TOKEN
import type { TradeCallsRequest, TradeCallsResult } from "@slipway/protocol/tradeCalls";
import { createClient } from "@slipway/sdk/createClient";
import { requireVerified } from "@slipway/sdk/verifyPrepared";
import { Contract, JsonRpcProvider, parseEther, Wallet } from "ethers";
import { dev, readTrust, report } from "./devFile.ts";

const token = process.argv[2]!;
const client = createClient({ baseUrl: dev.base_url, apiKey: dev.api_key });
const trust = await readTrust();
// Trap: by default ethers caches the account's nonce for 250 ms, longer than a block of a fast chain.
const options = { staticNetwork: true, pollingInterval: 50, cacheTimeout: -1 };
const provider = new JsonRpcProvider(dev.rpc_url, dev.chain_id, options);
const trader = new Wallet(dev.wallets[1]!.private_key, provider);
const erc20 = new Contract(token, ["function balanceOf(address) view returns (uint256)"], provider);
const getBalance = async (): Promise<bigint> => await erc20.getFunction("balanceOf")(trader.address);

/** Prepares a trade and compares it with the order. */
async function prepare(request: TradeCallsRequest): Promise<TradeCallsResult> {
  const result = await client.prepareTradeCalls(request);
  return requireVerified(result, { operation: "prepareTradeCalls", request }, trust);
}

/** Signs, sends, and waits for the receipt. */
async function send({ transaction }: TradeCallsResult): Promise<void> {
  if (transaction === null) throw new Error("the trade needs more than one transaction");
  const { to, data, value, gas } = transaction;
  // Trap: ethers reads `gasLimit` and ignores `gas`; its own estimate can be too low a second later.
  const sent = await trader.sendTransaction({ to, data, value, gasLimit: gas });
  const receipt = await sent.wait();
  if (receipt?.status !== 1) throw new Error(`${sent.hash} reverted`);
}

const order = { token, wallet: trader.address, slippage_bps: 300 };
const before = await getBalance();
const buy = await prepare({ ...order, side: "buy", pay: "native", amount_in: parseEther("0.01").toString() });
await send(buy);
const bought = (await getBalance()) - before;
console.log(`bought ${bought}, at least ${buy.quote.minimum_out}`);

const sale: TradeCallsRequest = { ...order, side: "sell", receive: "native", amount_in: (bought / 2n).toString() };
const { permit_typed_data: typed } = await prepare(sale);
if (typed == null) throw new Error("the router has an allowance already");
// Trap: ethers adds EIP712Domain by itself and refuses a second one; other signers need it.
const { EIP712Domain: _, ...types } = typed.types as Record<string, { name: string; type: string }[]>;
const signature = await trader.signTypedData(typed.domain as object, types, typed.message);
const deadline = Number((typed.message as { deadline: string }).deadline);
await send(await prepare({ ...sale, permit: { deadline, signature } }));

report("tokens of the trader", before + bought - bought / 2n, await getBalance());
provider.destroy();
