import { readFileSync } from "node:fs";
import { type Manifest, manifestSchema } from "@slipway/protocol/manifest";
import type { UnsignedResult } from "@slipway/protocol/transaction";
import { Contract, formatEther, type Interface, JsonRpcProvider, type TransactionReceipt, Wallet } from "ethers";
import type { DevFile } from "../stack/devFile.ts";
import { type ServiceApi, serviceApi } from "../service/serviceApi.ts";
import { tokenAbi } from "./contractAbis.ts";
import { DemoFailure, type Story } from "./story.ts";

/** Everything the demo plays with: the API, the chain as ethers sees it, and three people with their own keys. */
export type Scene = {
  api: ServiceApi;
  apiKey: string;
  baseUrl: string;
  provider: JsonRpcProvider;
  manifest: Manifest;
  manifestSha256: string;
  chainId: number;
  weth: string;
  creator: Wallet;
  collaborator: Wallet;
  trader: Wallet;
  story: Story;
  /** Calls a view of a contract; amounts come as bigint. */
  read: <T>(address: string, abi: Interface, name: string, ...args: unknown[]) => Promise<T>;
  balance: (asset: string, owner: string) => Promise<bigint>;
  /** Signs what the service prepared with ethers, sends it and tells hash, block and gas. */
  sign: (signer: Wallet, prepared: UnsignedResult) => Promise<TransactionReceipt>;
  close: () => void;
};

/** Builds the scene from what the running stack says about itself. */
export function setScene(dev: DevFile, story: Story): Scene {
  // Without ethers' short cache a nonce or a balance could be that of a moment ago.
  const provider = new JsonRpcProvider(dev.rpc_url, dev.chain_id, {
    staticNetwork: true,
    cacheTimeout: -1,
    pollingInterval: 50,
  });
  const person = (index: number) => new Wallet(dev.wallets[index]?.private_key ?? "", provider);
  const read: Scene["read"] = (address, abi, name, ...args) =>
    new Contract(address, abi, provider).getFunction(name).staticCall(...args);
  return {
    // A server that is being restarted is waited for: every request of the demo may be repeated.
    api: serviceApi(dev.base_url, dev.api_key, 60_000),
    apiKey: dev.api_key,
    baseUrl: dev.base_url,
    provider,
    manifest: manifestSchema.parse(JSON.parse(readFileSync(dev.manifest.path, "utf8"))),
    manifestSha256: dev.manifest.sha256,
    chainId: dev.chain_id,
    weth: dev.weth,
    creator: person(0),
    collaborator: person(1),
    trader: person(2),
    story,
    read,
    balance: (asset, owner) => read<bigint>(asset, tokenAbi, "balanceOf", owner),
    sign: (signer, prepared) => sign(story, dev, signer, prepared),
    close: () => provider.destroy(),
  };
}

async function sign(story: Story, dev: DevFile, signer: Wallet, prepared: UnsignedResult): Promise<TransactionReceipt> {
  const { transaction, simulation, manifest, action } = prepared;
  if (transaction === null)
    throw new DemoFailure(`${action}: the service prepared no transaction (${prepared.status})`);
  if (!simulation.ok) throw new DemoFailure(`${action}: returned without a successful simulation`);
  if (manifest.sha256.replace(/^0x/, "") !== dev.manifest.sha256.replace(/^0x/, "")) {
    throw new DemoFailure(`${action}: built for another manifest`);
  }
  const response = await signer.sendTransaction({
    chainId: BigInt(transaction.chainId),
    from: transaction.from,
    to: transaction.to ?? null,
    data: transaction.data,
    value: BigInt(transaction.value),
    gasLimit: BigInt(transaction.gas),
  });
  const receipt = await response.wait(1, 30_000);
  if (receipt === null || receipt.status !== 1) throw new DemoFailure(`${action}: ${response.hash} reverted`);
  story.fact(
    action,
    `${receipt.hash}\n${" ".repeat(23)}block ${receipt.blockNumber}, gas ${grouped(receipt.gasUsed)} ` +
      `(simulated ${grouped(BigInt(simulation.gas_used))} at block ${simulation.block_number}), signed with ethers`,
  );
  return receipt;
}

/** An amount of an 18-decimals asset for reading: 1234.5678. */
export function amount(baseUnits: bigint, symbol: string): string {
  const [whole = "0", fraction = ""] = formatEther(baseUnits).split(".");
  const digits = whole === "0" || whole === "-0" ? 8 : 4;
  const shown = fraction.slice(0, digits).replace(/0+$/, "");
  const text = `${whole.replace(/\B(?=(\d{3})+$)/g, ",")}${shown ? `.${shown}` : ""}`;
  return baseUnits !== 0n && /^-?0$/.test(text) ? `${baseUnits} base units of ${symbol}` : `${text} ${symbol}`;
}

/** An integer with its thousands set apart. */
export function grouped(value: bigint): string {
  return value.toString().replace(/\B(?=(\d{3})+$)/g, ",");
}
