import { reorganise } from "@slipway/dev/chain/reorganise";
import { waitForReceipt } from "@slipway/dev/chain/rpcRequest";
import { getWallets } from "@slipway/dev/chain/wallets";
import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import type { Manifest } from "@slipway/protocol/manifest";
import { splitterCreationInput } from "@slipway/protocol/splitter";
import {
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  parseEther,
  type SignedAuthorization,
  zeroAddress,
} from "viem";
import { startDeployedChain } from "../startDeployedChain.ts";

const routerAbi = parseAbi([
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96)) payable returns (uint256)",
]);
const erc20Abi = parseAbi([
  "function approve(address, uint256) returns (bool)",
  "function transfer(address, uint256) returns (bool)",
  "function balanceOf(address) view returns (uint256)",
]);

export type TestToken = { token: Address; pool: Address; splitter: Address };
export type TestChain = Awaited<ReturnType<typeof startTestChain>>;

/** A local chain with the real contracts and actions on it: launch, buy, sell, collect, reorganise. */
export async function startTestChain(dir: string) {
  const { chain, deployed } = await startDeployedChain({ dir, heartbeatMs: 0 });
  const { manifest } = deployed;
  const transport = http(chain.rpcUrl);
  const client = createPublicClient({ transport, pollingInterval: 10 });
  const test = createTestClient({ mode: "anvil", transport });
  const wallets = getWallets("open");
  const accounts = wallets.map((wallet) => wallet.account);
  const sender = (index: number) => createWalletClient({ account: accounts[index]!, transport });
  const weth = manifest.wrapped_native.address as Address;

  const send = async (
    index: number,
    request: { to?: Address; data: Hex; value?: bigint; authorizationList?: SignedAuthorization[] },
  ) => {
    const hash = await sender(index).sendTransaction({ ...request, gas: 8_000_000n, chain: null } as never);
    const receipt = await waitForReceipt(chain.rpcUrl, hash);
    if (receipt.status !== "success") throw new Error("the transaction reverted");
    return receipt;
  };
  const write = async (index: number, request: Parameters<typeof client.simulateContract>[0]) => {
    const hash = await sender(index).writeContract({ ...request, gas: 8_000_000n, chain: null } as never);
    const receipt = await waitForReceipt(chain.rpcUrl, hash);
    if (receipt.status !== "success") throw new Error(`${request.functionName} reverted`);
    return receipt;
  };
  const getBuy = (index: number, token: Address, ether: string) =>
    ({
      address: manifest.uniswap.router.address as Address,
      abi: routerAbi,
      functionName: "exactInputSingle",
      args: [
        {
          tokenIn: weth,
          tokenOut: token,
          fee: 10000,
          recipient: accounts[index]!.address,
          amountIn: parseEther(ether),
          amountOutMinimum: 0n,
          sqrtPriceLimitX96: 0n,
        },
      ],
      value: parseEther(ether),
    }) as const;
  let salt = 1n;
  const getParams = (name: string, symbol: string, splitter: Address, contractUri = "") => ({
    name,
    symbol,
    contractURI: contractUri,
    splitter,
    salt: `0x${salt.toString(16).padStart(64, "0")}` as Hex,
    partner: zeroAddress,
    feeBps: 100,
  });
  const predict = async (from: number, params: ReturnType<typeof getParams>) => {
    const [token, pool] = await client.readContract({
      address: manifest.current.launch_factory.address as Address,
      abi: launchFactoryAbi,
      functionName: "predict",
      args: [accounts[from]!.address, params],
    });
    return { token, pool };
  };

  return {
    chain,
    manifest: manifest as Manifest,
    client,
    test,
    accounts,
    weth,
    send,
    write,
    splitter: async (payees: readonly Address[], shares: readonly number[]): Promise<Address> => {
      const implementation = manifest.current.splitter_implementation.address as Address;
      const allocations = payees.map((payee, index) => ({ payee, shareBps: shares[index]! }));
      const data = splitterCreationInput(implementation, allocations);
      return (await send(0, { data })).contractAddress!;
    },
    /** Predicts the addresses of the next launch with these parameters. */
    predict: (name: string, symbol: string, splitter: Address) => predict(0, getParams(name, symbol, splitter)),
    launch: async (
      name: string,
      symbol: string,
      splitter: Address,
      options: { contractUri?: string; buyInWei?: bigint; from?: number } = {},
    ): Promise<TestToken> => {
      const from = options.from ?? 0;
      const params = getParams(name, symbol, splitter, options.contractUri);
      const predicted = await predict(from, params);
      salt++;
      await write(from, {
        address: manifest.current.launch_factory.address as Address,
        abi: launchFactoryAbi,
        functionName: "launch",
        args: [params, { recipient: accounts[from]!.address, minimumOut: 0n }],
        value: options.buyInWei ?? 0n,
      } as never);
      return { ...predicted, splitter };
    },
    buy: (index: number, token: Address, ether: string) => write(index, getBuy(index, token, ether) as never),
    /** Returns the same buy as an unsigned transaction. */
    buyRequest: (index: number, token: Address, ether: string) => {
      const { address, value, ...call } = getBuy(index, token, ether);
      return { to: address, value, data: encodeFunctionData(call) };
    },
    /** Sells a part of the account's balance, in percent. */
    sell: async (index: number, token: Address, percent: bigint) => {
      const router = manifest.uniswap.router.address as Address;
      const owner = accounts[index]!.address;
      const held = await client.readContract({
        address: token,
        abi: erc20Abi,
        functionName: "balanceOf",
        args: [owner],
      });
      await write(index, { address: token, abi: erc20Abi, functionName: "approve", args: [router, held] } as never);
      return await write(index, {
        address: router,
        abi: routerAbi,
        functionName: "exactInputSingle",
        args: [
          {
            tokenIn: token,
            tokenOut: weth,
            fee: 10000,
            recipient: owner,
            amountIn: (held * percent) / 100n,
            amountOutMinimum: 0n,
            sqrtPriceLimitX96: 0n,
          },
        ],
      } as never);
    },
    transfer: (index: number, token: Address, to: Address, amount: bigint) =>
      write(index, { address: token, abi: erc20Abi, functionName: "transfer", args: [to, amount] } as never),
    /** Swaps ETH for dollars in the ETH/USD pool, which moves the price. */
    buyDollars: (index: number, ether: string) =>
      write(index, {
        address: manifest.uniswap.router.address as Address,
        abi: routerAbi,
        functionName: "exactInputSingle",
        args: [
          {
            tokenIn: weth,
            tokenOut: manifest.eth_usd!.stablecoin.address as Address,
            fee: manifest.eth_usd!.fee,
            recipient: accounts[index]!.address,
            amountIn: parseEther(ether),
            amountOutMinimum: 0n,
            sqrtPriceLimitX96: 0n,
          },
        ],
        value: parseEther(ether),
      } as never),
    collect: (token: Address) =>
      write(0, {
        address: manifest.current.fee_locker.address as Address,
        abi: feeLockerAbi,
        functionName: "collect",
        args: [token],
      } as never),
    settle: (token: Address) =>
      write(0, {
        address: manifest.current.fee_locker.address as Address,
        abi: feeLockerAbi,
        functionName: "settle",
        args: [token, [token, weth]],
      } as never),
    release: (splitter: Address, asset: Address, payee: Address) =>
      write(0, {
        address: splitter,
        abi: feeSplitterAbi,
        functionName: "release",
        args: [[asset], payee],
      } as never),
    reorg: (depth: number) => reorganise(chain.rpcUrl, depth),
    mine: (blocks = 1) => test.mine({ blocks }),
    head: async () => Number(await client.getBlockNumber({ cacheTime: 0 })),
  };
}
