import { readFileSync } from "node:fs";
import {
  type Address,
  concat,
  encodeFunctionData,
  encodePacked,
  getAddress,
  type Hex,
  parseAbi,
  parseEther,
  toFunctionSelector,
} from "viem";
import { expect, test } from "vitest";
import type { TestChain } from "../../support/indexer/testChain.ts";
import { useIndexerFixture } from "../../support/indexer/useIndexerFixture.ts";

const fixture = useIndexerFixture();

const abi = parseAbi([
  "function approve(address spender, uint256 amount) returns (bool)",
  "function transfer(address to, uint256 amount) returns (bool)",
  "function deposit() payable",
  "function exactOutputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96)) payable returns (uint256)",
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96)) payable returns (uint256)",
  "struct Call { address target; bool allowFailure; bytes callData; }",
  "function aggregate3(Call[] calls) payable returns ((bool success, bytes returnData)[])",
  "struct UserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }",
  "function handleOps(UserOperation[] ops, address beneficiary)",
  "function validateUserOp(UserOperation op, bytes32 hash, uint256 missingFunds) returns (uint256)",
]);

type Call = { target: Address; allowFailure: boolean; callData: Hex };
type Encode = Parameters<typeof encodeFunctionData<typeof abi>>[0];

const call = (target: Address, request: Encode): Call => ({
  target,
  allowFailure: false,
  callData: encodeFunctionData(request),
});
const together = (calls: readonly Call[]): Hex =>
  encodeFunctionData({ abi, functionName: "aggregate3", args: [calls] });
const tokens = (count: number) => BigInt(count) * 10n ** 18n;
const toAccount = (n: number) => getAddress(`0x${(0xacc0 + n).toString(16).padStart(40, "0")}`);

/** The deterministic deployer, and EntryPoint 0.7 with its published creation code and salt. */
const deployer = "0x4e59b44847b379578588920cA78FbF26c0B4956C";
const entryPoint = "0x0000000071727De22E5E9d8BAf0edAc6f37da032";
const published = JSON.parse(
  readFileSync(new URL("../../support/indexer/entryPoint07.json", import.meta.url), "utf8"),
) as { salt: Hex; creationCode: Hex };

/** The code of an account that accepts every user operation, and executes other calls as the multicall contract. */
function accountCode(multicall: Address): Hex {
  const validate = toFunctionSelector(
    abi.find((entry) => entry.type === "function" && entry.name === "validateUserOp")!,
  );
  return concat([
    // Jumps to 0x45 for validateUserOp.
    ...(["0x60003560e01c63", validate, "0x14604557"] as const),
    // Delegates the call data to the multicall contract, and returns or reverts (0x40) with its answer.
    ...(["0x3660006000376000600036600073", multicall, "0x5af43d600060003e6040573d6000fd5b3d6000f3"] as const),
    // Returns zero.
    "0x5b60206000f3",
  ]);
}

/** Calls that change a token with its launch's pool; the caller of the calls pays. */
function createTrades(chain: TestChain, token: Address) {
  const router = chain.manifest.uniswap.router.address as Address;
  const approve = (asset: Address) => call(asset, { abi, functionName: "approve", args: [router, 2n ** 255n] });
  const shared = { fee: 10000, sqrtPriceLimitX96: 0n };
  return {
    buy: (recipient: Address, amountOut: bigint): Call[] => {
      const path = { tokenIn: chain.weth, tokenOut: token, ...shared };
      const args = [{ ...path, recipient, amountOut, amountInMaximum: parseEther("1") }] as const;
      return [approve(chain.weth), call(router, { abi, functionName: "exactOutputSingle", args })];
    },
    sell: (recipient: Address, amountIn: bigint): Call[] => {
      const path = { tokenIn: token, tokenOut: chain.weth, ...shared };
      const args = [{ ...path, recipient, amountIn, amountOutMinimum: 0n }] as const;
      return [approve(token), call(router, { abi, functionName: "exactInputSingle", args })];
    },
    pass: (to: Address, amount: bigint): Call => call(token, { abi, functionName: "transfer", args: [to, amount] }),
  };
}

/** Sends wrapped native to accounts that cannot wrap it themselves. */
async function fund(chain: TestChain, accounts: readonly Address[]): Promise<void> {
  const amount = parseEther("2");
  const value = amount * BigInt(accounts.length);
  await chain.send(0, { to: chain.weth, data: encodeFunctionData({ abi, functionName: "deposit" }), value });
  for (const account of accounts) await chain.transfer(0, chain.weth, account, amount);
}

/** Deploys EntryPoint 0.7: only its genuine creation code has the address. */
async function deployEntryPoint(chain: TestChain): Promise<void> {
  await chain.send(0, { to: deployer, data: concat([published.salt, published.creationCode]) });
  expect((await chain.client.getCode({ address: entryPoint }))!.length).toBeGreaterThan(2);
}

async function sendOperations(chain: TestChain, bundler: number, operations: readonly [Address, Hex][]): Promise<void> {
  const ops = operations.map(([sender, callData]) => ({
    sender,
    nonce: 0n,
    initCode: "0x" as const,
    callData,
    accountGasLimits: encodePacked(["uint128", "uint128"], [200_000n, 1_000_000n]),
    preVerificationGas: 0n,
    gasFees: encodePacked(["uint128", "uint128"], [0n, 0n]),
    paymasterAndData: "0x" as const,
    signature: "0x" as const,
  }));
  const data = encodeFunctionData({ abi, functionName: "handleOps", args: [ops, chain.accounts[bundler]!.address] });
  await chain.send(bundler, { to: entryPoint, data });
}

test("C2-72 C2-73 each trade has the account that a person would name, live and in a backfill", async () => {
  const chain = fixture.chain();
  const { accounts } = chain;
  const wallets = accounts.map(({ address }) => address);
  const multicall = chain.manifest.multicall3!.address as Address;
  const code = accountCode(multicall);
  const [safe, ann, bob, cid] = [1, 2, 3, 4].map(toAccount) as [Address, Address, Address, Address];
  for (const address of [safe, ann, bob, cid]) await chain.test.setCode({ address, bytecode: code });
  await deployEntryPoint(chain);
  const splitter = await chain.splitter([wallets[0]!], [10000]);
  const launch = await chain.launch("Alpha", "ALP", splitter);
  const { buy, sell, pass } = createTrades(chain, launch.token);
  await fund(chain, [safe, ann, bob, wallets[4]!]);
  const expected: { name: string; maker: Address; account: Address; source: string }[] = [];
  const expectTrade = (name: string, maker: number, account: Address, source: string) =>
    expected.push({ name, maker: wallets[maker]!, account, source });

  await chain.buy(1, launch.token, "0.2");
  expectTrade("an account's own buy", 1, wallets[1]!, "transfers");
  await chain.sell(1, launch.token, 10n);
  expectTrade("an account's own sell", 1, wallets[1]!, "transfers");

  await chain.send(2, { to: safe, data: together(buy(safe, tokens(1000))) });
  expectTrade("a buy of a contract wallet, which one of its owners sends", 2, safe, "transfers");
  await chain.send(3, { to: safe, data: together(sell(safe, tokens(400))) });
  expectTrade("a sell of a contract wallet, which another owner sends", 3, safe, "transfers");

  await chain.transfer(1, launch.token, cid, tokens(900));
  await sendOperations(chain, 3, [
    [ann, together(buy(ann, tokens(1000)))],
    // The multicall contract receives the tokens and passes them on.
    [
      bob,
      together([
        ...buy(multicall, tokens(500)),
        call(multicall, { abi, functionName: "aggregate3", args: [[pass(bob, tokens(500))]] }),
      ]),
    ],
    [cid, together(sell(wallets[9]!, tokens(900)))],
  ]);
  expectTrade("a bundle's first user operation, which buys", 3, ann, "user_operation");
  expectTrade("a bundle's second user operation, which buys through another contract", 3, bob, "user_operation");
  expectTrade("a bundle's third user operation, which sells for another receiver", 3, cid, "user_operation");

  const authorization = await accounts[4]!.signAuthorization!({
    contractAddress: multicall,
    chainId: chain.manifest.chain_id,
    nonce: await chain.client.getTransactionCount({ address: wallets[4]! }),
  });
  await chain.send(5, {
    to: wallets[4]!,
    data: together(buy(wallets[4]!, tokens(700))),
    authorizationList: [authorization],
  });
  expectTrade("a buy of an account with delegated code (EIP-7702), which a relayer sends", 5, wallets[4]!, "transfers");
  await chain.send(5, { to: wallets[4]!, data: together(sell(wallets[4]!, tokens(300))) });
  expectTrade("its sell, which a relayer sends", 5, wallets[4]!, "transfers");

  await fund(chain, [multicall]);
  const split = [pass(wallets[7]!, tokens(500)), pass(wallets[8]!, tokens(500))];
  await chain.send(6, { to: multicall, data: together([...buy(multicall, tokens(1000)), ...split]) });
  expectTrade("an aggregator's buy that two receivers share equally", 6, wallets[6]!, "sender");
  const fee = [pass(wallets[7]!, tokens(990)), pass(wallets[8]!, tokens(10))];
  await chain.send(6, { to: multicall, data: together([...buy(multicall, tokens(1000)), ...fee]) });
  expectTrade("an aggregator's buy of which another receiver gets a fee", 6, wallets[7]!, "transfers");

  const toThird = buy(wallets[9]!, tokens(250))[1]!;
  await chain.send(8, { to: toThird.target, data: toThird.callData, value: parseEther("0.01") });
  expectTrade("a buy for a third address", 8, wallets[9]!, "transfers");

  const live = await fixture.openDeps();
  await fixture.untilCaughtUp(fixture.start(live));
  await chain.test.increaseTime({ seconds: 600 });
  await chain.mine(300);
  const late = await fixture.openDeps({ env: { REORG_WINDOW_SECONDS: "10" } });
  await fixture.untilCaughtUp(fixture.start(late));
  for (const deps of [live, late]) {
    const { rows } = await deps.db.indexer.query<{ maker: string; account: string; source: string }>(
      `select maker, account, account_source::text as source from chain.trade_rows order by block_number, log_index`,
    );
    const found = rows.map(({ maker, account, source }, i) => ({
      name: expected[i]?.name,
      maker: getAddress(maker),
      account: getAddress(account),
      source,
    }));
    expect(found).toEqual(expected);
    await fixture.untilIndexed(deps);
    await fixture.expectIndexEqualsChain(deps);
  }
  const { rows } = await late.db.indexer.query("select count(*)::int as n from chain.outbox where kind = 'batch'");
  expect(rows[0].n).toBeGreaterThan(1);
});
