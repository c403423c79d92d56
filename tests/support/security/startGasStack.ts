import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import type { Wallet } from "@slipway/dev/chain/wallets";
import { processTopUps } from "@slipway/server/features/gas/processTopUps";
import { Wallet as EthersWallet, Interface } from "ethers";
import { createWalletClient, encodeFunctionData, type Hex, http, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { waitForReceipt as untilMinedAt } from "../../../dev/src/chain/rpcRequest.ts";
import { getWallet } from "../../../dev/src/chain/wallets.ts";
import { type Account, type Answer, type Server, startTestStack, type TestStack } from "./startTestStack.ts";

/** A stack whose API has a gas station, with the job that processes its top-ups. */
export type OpenGasStack = {
  stack: TestStack;
  server: Server;
  station: Hex;
  /** A wallet that has only stablecoin. */
  newWallet(tokenUnits?: bigint): Promise<Person>;
  /** Runs `work` while the job of the top-ups is stopped. */
  pauseJob(work: () => Promise<void>): Promise<void>;
};

/** The caller closes it. */
export type GasStack = OpenGasStack & { close(): Promise<void> };

/** An account that signs with viem and with ethers. */
export type Person = { address: Hex; account: ReturnType<typeof privateKeyToAccount>; ethers: EthersWallet };

export const gasSettings = {
  RELAYER_PRIVATE_KEY: getWallet("relayer").privateKey,
  RELAYER_CEILING_WEI: (10n ** 24n).toString(),
  RELAYER_POLL_MS: "50",
  GAS_STATION_TWAP_SECONDS: "1",
  GAS_STATION_WALLET_BUDGET: "1000000",
  GAS_STATION_ADDRESS_BUDGET: "1000000",
  GAS_STATION_FAILURE_BUDGET: "1000000",
  GAS_STATION_DAILY_CAP_WEI: (10n ** 24n).toString(),
};

export const erc20 = parseAbi([
  "function transfer(address to, uint256 amount) returns (bool)",
  "function approve(address spender, uint256 amount) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
]);

/**
 * Starts the stack; `environment` changes the API's settings. Without a heartbeat by default, so that a test that holds
 * blocks back holds all of them back.
 */
export async function startGasStack(
  environment: Record<string, string> = {},
  { heartbeatMs = 0 } = {},
): Promise<GasStack> {
  const stack = await startTestStack({ heartbeatMs });
  // The pool has a mean of one second only after one second.
  await rpc(stack, "evm_increaseTime", [10]);
  await rpc(stack, "evm_mine");
  const server = await stack.openServer({ ...gasSettings, ...environment });
  await untilHeadIndexed(stack, server);
  let topUps = processTopUps(server.deps);
  // One after the other, because they share the nonces of one funder.
  let last: Promise<unknown> = Promise.resolve();
  return {
    stack,
    server,
    station: stack.manifest.gas_station!.address as Hex,
    newWallet: (tokenUnits = 100_000_000n) => {
      const next = last.then(() => newPerson(stack, tokenUnits));
      last = next.catch(() => undefined);
      return next;
    },
    pauseJob: async (work) => {
      await topUps.stop();
      await work().finally(() => {
        topUps = processTopUps(server.deps);
      });
    },
    close: async () => {
      await topUps.stop();
      await server.close();
      await stack.close();
    },
  };
}

async function newPerson(stack: TestStack, tokenUnits: bigint): Promise<Person> {
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  const data = encodeFunctionData({ abi: erc20, functionName: "transfer", args: [account.address, tokenUnits] });
  await sendFrom(stack, getWallet("deployer"), { to: stack.stablecoin, data });
  return { address: account.address, account, ethers: new EthersWallet(privateKey) };
}

/** Sends a call of one of the development wallets and waits for it. */
export async function sendFrom(stack: TestStack, wallet: Wallet, call: { to: Hex; data: Hex; value?: bigint }) {
  const client = createWalletClient({ account: wallet.account, transport: http(stack.chain.rpcUrl) });
  const hash = await client.sendTransaction({ ...call, chain: null, gas: 5_000_000n } as never);
  return await untilMinedAt(stack.chain.rpcUrl, hash);
}

export const askQuote = (server: Server, person: Person, gasLimit = 200_000, token = "USDG", as?: Account) =>
  server.call("POST", "/gas/quote", { wallet: person.address, token, gas_limit: gasLimit }, as);

/** Waits until a server reads an index that contains the newest block: the station compares its price with the index. */
export async function untilHeadIndexed(stack: TestStack, server: Server): Promise<void> {
  const head = Number(await rpc<string>(stack, "eth_blockNumber"));
  const readIndexedBlock = async () =>
    (await server.deps.readModel.getFreshIndex().catch(() => null))?.indexedBlock ?? -1;
  const deadline = Date.now() + 60_000;
  while ((await readIndexedBlock()) < head) {
    if (Date.now() > deadline) throw new Error(`the index does not contain block ${head}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

type Quote = Record<string, any>;

/** ethers requires the types without the domain's. */
export async function signWithEthers(person: Person, typed: Quote): Promise<string> {
  const { EIP712Domain: _, ...types } = typed.types;
  return await person.ethers.signTypedData(typed.domain, types, typed.message);
}

export const signWithViem = (person: Person, typed: Quote): Promise<string> =>
  person.account.signTypedData(typed as never);

/** The body of a top-up, signed. */
export async function signedTopUp(
  person: Person,
  quote: Quote,
  sign: (person: Person, typed: Quote) => Promise<string> = signWithViem,
): Promise<Record<string, unknown>> {
  return {
    quote_id: quote.quote_id,
    wallet: person.address,
    signature: await sign(person, quote.typed_data),
    ...(quote.needs_permit ? { permit_signature: await sign(person, quote.permit_typed_data) } : {}),
  };
}

export const topUp = (server: Server, body: unknown, as?: Account): Promise<Answer> =>
  server.call("POST", "/gas/topup", body, as);

/** Polls until a top-up is no longer pending. */
export async function untilSettled(server: Server, hash: string, timeoutMs = 60_000): Promise<Answer> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await server.call("GET", `/gas/topups/${hash}`);
    if (answer.body.status !== "pending" || Date.now() > deadline) return answer;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export const rpc = <T>(stack: TestStack, method: string, params: unknown[] = []): Promise<T> =>
  rpcRequest<T>(stack.chain.rpcUrl, method, params);

/** Waits for a transaction's receipt: a node that mines immediately still responds before it has mined. */
export const untilMined = (stack: TestStack, hash: Hex) => untilMinedAt(stack.chain.rpcUrl, hash);

/** Runs `work` while the node signs for an address that has native for gas; afterwards the address has none again. */
export async function asItself(stack: TestStack, address: Hex, work: () => Promise<void>): Promise<void> {
  await rpc(stack, "anvil_setBalance", [address, "0xde0b6b3a7640000"]);
  await rpc(stack, "anvil_impersonateAccount", [address]);
  try {
    await work();
  } finally {
    await rpc(stack, "anvil_stopImpersonatingAccount", [address]);
    await rpc(stack, "anvil_setBalance", [address, "0x0"]);
  }
}

/** Sends a call from an address without a known key, and waits until it is mined. */
export async function sendAs(stack: TestStack, call: { from: Hex; to: Hex; data: Hex }): Promise<void> {
  await asItself(stack, call.from, async () => {
    await untilMined(stack, await rpc<Hex>(stack, "eth_sendTransaction", [call]));
  });
}

export const nativeBalance = async (stack: TestStack, address: string): Promise<bigint> =>
  BigInt(await rpc<string>(stack, "eth_getBalance", [address, "latest"]));

const reads = new Interface(["function balanceOf(address) view returns (uint256)"]);

export async function tokenBalance(
  stack: TestStack,
  address: string,
  token: string = stack.stablecoin,
): Promise<bigint> {
  const data = reads.encodeFunctionData("balanceOf", [address]);
  return BigInt(await rpc<string>(stack, "eth_call", [{ to: token, data }, "latest"]));
}

/** Returns the number of the relayer's transactions on the chain. */
export const relayerNonce = async (stack: TestStack): Promise<number> =>
  Number(await rpc<string>(stack, "eth_getTransactionCount", [getWallet("relayer").address, "latest"]));
