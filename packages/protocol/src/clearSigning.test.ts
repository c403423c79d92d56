import { readdirSync, readFileSync } from "node:fs";
import { encodeFunctionData, getAddress, type Hex, multicall3Abi, parseEther } from "viem";
import { expect, test } from "vitest";
import { createLaunchCall } from "../../../apps/server/src/transactions/launchTerms.ts";
import {
  describeCall,
  describeMessage,
  type Registry,
  type SignedCall,
} from "../../../tests/support/clearSigning/describeCall.ts";
import { findDescriptorErrors } from "../../../tests/support/clearSigning/validateDescriptor.ts";
import { testManifest } from "../../../tests/support/server/testManifest.ts";
import { createClearSigningFiles, createClearSigningIndex } from "./clearSigning.ts";
import { feeLockerAbi } from "./contracts/feeLocker.ts";
import { feeSplitterAbi } from "./contracts/feeSplitter.ts";
import { topUpTypedData } from "./gas.ts";
import { launchForTypedData } from "./launchSignature.ts";
import type { Manifest } from "./manifest.ts";
import { encodeCreateSplitter } from "./splitter.ts";
import { type RouterKind, type SwapExtras, type SwapOrder, swapCall } from "./swapCall.ts";
import { permitTypedData } from "./typedData.ts";

const byte = (digits: string) => getAddress(`0x${digits.repeat(20)}`);
const manifest: Manifest = {
  ...testManifest,
  gas_station: {
    address: byte("ee"),
    runtime_code_hash: `0x${"ab".repeat(32)}`,
    creation_transaction: `0x${"ab".repeat(32)}`,
    owner: byte("01"),
    relayer: byte("02"),
  },
  multicall3: { address: byte("cc"), runtime_code_hash: `0x${"ab".repeat(32)}` },
};
const withRouter = (router_kind: RouterKind): Manifest => ({
  ...manifest,
  uniswap: { ...manifest.uniswap, router_kind },
});
const [wallet, token, weth, splitter] = [
  byte("a1"),
  byte("a2"),
  getAddress(manifest.wrapped_native.address),
  byte("a4"),
];
const deadline = 1_800_000_000n;
const untilDeadline = "Valid until: 2027-01-15T08:00:00.000Z";

const openRegistry = (of: Manifest): Registry => ({
  files: createClearSigningFiles(of),
  isCreatedBy: (factory, address) => factory === of.current.splitter_factory.address && address === splitter,
});
const describeIt = (call: Partial<SignedCall>, of = manifest) =>
  describeCall(openRegistry(of), { chainId: of.chain_id, from: wallet, to: "", data: "0x", value: 0n, ...call });

test("every descriptor has the form of ERC-7730", () => {
  for (const signed of [null, withRouter("swap_router"), withRouter("swap_router_02")]) {
    for (const { name, descriptor } of createClearSigningFiles(signed)) {
      expect([name, ...findDescriptorErrors(descriptor)]).toEqual([name]);
    }
  }
  const [{ descriptor }] = createClearSigningFiles(null) as [ReturnType<typeof createClearSigningFiles>[0]];
  expect(findDescriptorErrors({ ...descriptor, other: 1 })).not.toEqual([]);
  expect(findDescriptorErrors({ ...descriptor, display: { formats: { launch: {} } } })).not.toEqual([]);
});

test("the files of the repository are the descriptors without addresses", () => {
  const folder = new URL("../../../contracts/erc7730/", import.meta.url);
  const files = createClearSigningFiles(null);
  expect(readdirSync(folder).sort()).toEqual(files.map(({ name }) => name).sort());
  for (const { name, descriptor } of files) {
    expect(readFileSync(new URL(name, folder), "utf8")).toBe(`${JSON.stringify(descriptor, null, 2)}\n`);
  }
});

test("the index names the descriptors of the manifest's contracts, with the pinned router", () => {
  const { descriptors } = createClearSigningIndex(withRouter("swap_router"));
  expect(descriptors.map(({ contract }) => contract)).toEqual([
    ...["LaunchFactory", "SplitterFactory", "FeeLocker", "FeeSplitter", "VestingFactory", "Vesting"],
    ...["OpeningFactory", "Opening"],
    ...["SwapRouter", "Multicall3"],
    ...["LaunchFactory", "GasStation", "Stablecoin"],
  ]);
});

const params = {
  name: "Kite",
  symbol: "KITE",
  contractURI: "data:application/json,{}",
  splitter,
  salt: `0x${"5".repeat(64)}` as Hex,
  partner: byte("a5"),
  feeBps: 100,
};
const terms = {
  creator: wallet,
  params,
  buy: { recipient: byte("a6"), minimumOut: parseEther("2.5") },
  value: parseEther("0.1"),
};
const launchLines = [
  "Name: Kite",
  "Symbol: KITE",
  "Metadata: data:application/json,{}",
  `Fees go to: ${splitter}`,
  `Partner: ${params.partner}`,
  "Trading fee: 1 %",
  `Bought tokens go to: ${byte("a6")}`,
  "Buy at least: 2.5 tokens",
];

test("a launch shows its texts, recipients and amounts", () => {
  const factory = manifest.current.launch_factory.address as Hex;
  expect(describeIt(createLaunchCall(terms as never, factory, null))).toEqual({
    intent: "Launch a token",
    lines: [...launchLines, "Buy for: 0.1 native"],
  });
  const plain = { ...terms, value: 0n, params: { ...params, partner: `0x${"0".repeat(40)}` as Hex } };
  const { lines } = describeIt(createLaunchCall(plain as never, factory, null));
  expect(lines).toEqual(launchLines.filter((line) => !line.startsWith("Partner")));
});

test("a launch for a creator shows also the creator and the deadline, in the transaction and in the signed message", () => {
  const factory = manifest.current.launch_factory.address as Hex;
  const authorization = { deadline, signature: `0x${"1".repeat(130)}` };
  const lines = [`Creator: ${wallet}`, ...launchLines, "Buy for: 0.1 native", untilDeadline];
  const call = createLaunchCall(terms as never, factory, { wallet: byte("a7"), authorization } as never);
  expect(describeIt(call)).toEqual({ intent: "Launch a token for its creator", lines });
  const typed = launchForTypedData({ ...terms, deadline, epoch: 3n }, factory, manifest.chain_id);
  expect(describeMessage(openRegistry(manifest), typed)).toEqual({
    intent: "Let another account launch your token",
    lines,
  });
});

test("C10-75 the creation of a splitter by its factory shows each recipient and share", () => {
  const allocations = [
    { payee: byte("b1"), shareBps: 9_950 },
    { payee: byte("b2"), shareBps: 50 },
  ];
  const data = encodeCreateSplitter(allocations, `0x${"6".repeat(64)}`);
  expect(describeIt({ to: manifest.current.splitter_factory.address, data })).toEqual({
    intent: "Create the splitter of a launch's fees",
    lines: [`Recipient: ${byte("b1")}`, `Recipient: ${byte("b2")}`, "Share: 99.5 %", "Share: 0.5 %"],
  });
});

const order: SwapOrder = {
  tokenIn: weth,
  tokenOut: token,
  fee: 10_000,
  recipient: wallet,
  deadline,
  amounts: { exact: "input", amountIn: 7n, minimumOut: 5n },
};
const permit = { value: 7n, deadline, v: 27, r: `0x${"1".repeat(64)}` as Hex, s: `0x${"2".repeat(64)}` as Hex };
const indent = (lines: string[]) => lines.map((line) => `  ${line}`);

/** The lines of the swap itself; the recipient is the router when the output is unwrapped. */
const swapLines = (kind: RouterKind, amounts: string[], { tokenIn, tokenOut, recipient }: SwapOrder) => [
  ...amounts,
  `From: ${tokenIn}`,
  `To: ${tokenOut}`,
  "Pool fee: 1 %",
  `Recipient: ${recipient}`,
  ...(kind === "swap_router" ? [untilDeadline] : []),
];
const routerItself = { swap_router: `0x${"0".repeat(40)}`, swap_router_02: `0x${"0".repeat(39)}2` } as const;

test.each(["swap_router", "swap_router_02"] as const)(
  "each part of a swap of %s shows its tokens and amounts",
  (kind) => {
    const of = withRouter(kind);
    const describeSwap = (swap: SwapOrder, extras?: SwapExtras, value = 0n) =>
      describeIt({ to: of.uniswap.router.address, data: swapCall(kind, swap, extras), value }, of);
    const inputAmounts = [`Send: 7 of ${weth}`, `Receive at least: 5 of ${token}`];
    const swap = swapLines(kind, inputAmounts, order);
    const wrap = (lines: string[]) =>
      kind === "swap_router" ? lines : ["Step: Swap", ...indent(lines), untilDeadline];
    expect(describeSwap(order)).toEqual({ intent: "Swap", lines: wrap(swap) });

    const output: SwapOrder = { ...order, amounts: { exact: "output", amountOut: 5n, maximumIn: 8n } };
    const outputAmounts = [`Send at most: 8 of ${weth}`, `Receive: 5 of ${token}`];
    expect(describeSwap(output).lines).toEqual(wrap(swapLines(kind, outputAmounts, output)));

    const tail = kind === "swap_router" ? [] : [untilDeadline];
    expect(describeSwap(order, { paysNative: true }, parseEther("1")).lines).toEqual([
      "Step: Swap",
      ...indent(swap),
      "Step: Get the rest back",
      "Send native: 1 native",
      ...tail,
    ]);

    const sale: SwapOrder = { ...order, tokenIn: token, tokenOut: weth };
    const inner = { ...sale, recipient: getAddress(routerItself[kind]) };
    expect(describeSwap(sale, { permit, receivesNative: true }).lines).toEqual([
      "Step: Allow the router to spend",
      ...indent([`At most: 7 of ${token}`, `Token: ${token}`, untilDeadline]),
      "Step: Swap",
      ...indent(swapLines(kind, [`Send: 7 of ${token}`, `Receive at least: 5 of ${weth}`], inner)),
      "Step: Receive native",
      ...indent(["Receive at least: 0.000000000000000005 native", `Recipient: ${wallet}`]),
      ...tail,
    ]);
  },
);

test("claims show tokens and recipients, alone and within one transaction", () => {
  const locker = manifest.current.fee_locker.address as Hex;
  const encodeLocker = (functionName: "collect" | "settle" | "payOwed", args: unknown[]) =>
    encodeFunctionData({ abi: feeLockerAbi, functionName, args } as never);
  const calls: [string, Hex, string, string[]][] = [
    [locker, encodeLocker("collect", [token]), "Collect trading fees", [`Launched token: ${token}`]],
    [
      locker,
      encodeLocker("settle", [token, [token, weth]]),
      "Pay out collected fees",
      [`Launched token: ${token}`, `Asset: ${token}`, `Asset: ${weth}`],
    ],
    [locker, encodeLocker("payOwed", [weth, wallet]), "Pay owed fees", [`Asset: ${weth}`, `Recipient: ${wallet}`]],
    [
      splitter,
      encodeFunctionData({ abi: feeSplitterAbi, functionName: "release", args: [[token, weth], wallet] }),
      "Release fees",
      [`Asset: ${token}`, `Asset: ${weth}`, `Recipient: ${wallet}`],
    ],
    [
      splitter,
      encodeFunctionData({ abi: feeSplitterAbi, functionName: "setPayout", args: [byte("a9")] }),
      "Change your payout address",
      [`New payout address: ${byte("a9")}`],
    ],
  ];
  for (const [to, data, intent, lines] of calls) expect(describeIt({ to, data })).toEqual({ intent, lines });
  const targets = calls.map(([target, callData]) => ({ target: target as Hex, allowFailure: false, callData }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3", args: [targets] });
  expect(describeIt({ to: manifest.multicall3!.address, data })).toEqual({
    intent: "Make several calls",
    lines: [
      ...calls.map(([to]) => `Contract: ${getAddress(to)}`),
      ...calls.flatMap(([, , intent, lines]) => [`Call: ${intent}`, ...indent(lines)]),
    ],
  });
  expect(() => describeIt({ to: byte("dd"), data: calls[3]![1] })).toThrow("no descriptor is for");
});

test("the quote of a top-up and its permit show what is paid and received", () => {
  const station = manifest.gas_station!.address as Hex;
  const stablecoin = getAddress(manifest.gas_station_tokens[0]!.address);
  const quote = { wallet, token: stablecoin, tokenAmount: 2_000_000n, nativeAmount: parseEther("0.001"), deadline };
  const typed = topUpTypedData({ ...quote, quoteId: `0x${"4".repeat(64)}` } as never, station, manifest.chain_id);
  expect(describeMessage(openRegistry(manifest), typed)).toEqual({
    intent: "Buy native for network fees",
    lines: [
      `Pay: 2000000 of ${stablecoin}`,
      "Receive: 0.001 native",
      `Wallet: ${wallet}`,
      `Token: ${stablecoin}`,
      untilDeadline,
    ],
  });
  const allowance = { owner: wallet, spender: station, value: 2_000_000n, nonce: 1n, deadline };
  const domain = manifest.gas_station_tokens[0]!.permit_domain!;
  expect(
    describeMessage(openRegistry(manifest), permitTypedData(allowance, stablecoin, domain, manifest.chain_id)),
  ).toEqual({
    intent: "Allow spending of tokens",
    lines: [`Spender: ${station}`, `At most: 2000000 of ${stablecoin}`, `Owner: ${wallet}`, untilDeadline],
  });
});
