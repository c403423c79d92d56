import { dataSlice, getAddress, Interface } from "ethers";

// Written from the contracts' interfaces and decoded by ethers, without the service's own builder.
const factory = new Interface([
  "function launch((string name,string symbol,string contractURI,address splitter,bytes32 salt,address partner,uint16 feeBps) params,(address recipient,uint256 minimumOut) buy)",
  "function launchFor(address creator,(string name,string symbol,string contractURI,address splitter,bytes32 salt,address partner,uint16 feeBps) params,(address recipient,uint256 minimumOut) buy,uint256 value,uint256 deadline,bytes signature)",
]);
const locker = new Interface([
  "function collect(address token)",
  "function settle(address token, address[] assets)",
  "function payOwed(address asset, address party)",
]);
const splitterFactory = new Interface(["function create(address[] payees, uint16[] shares, bytes32 salt)"]);
const splitter = new Interface(["function release(address[] assets, address payee)"]);
const token = new Interface(["function approve(address spender, uint256 amount)"]);
const router = new Interface([
  "function exactInputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 deadline,uint256 amountIn,uint256 amountOutMinimum,uint160 sqrtPriceLimitX96) params)",
]);
const router02 = new Interface([
  "function exactInputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 amountIn,uint256 amountOutMinimum,uint160 sqrtPriceLimitX96) params)",
]);
const router02Outer = new Interface(["function multicall(uint256 deadline, bytes[] data)"]);

/**
 * The creation code of a splitter (contracts/README.md): the part before the implementation's address, and the part between
 * that address and the payees.
 */
const creationStart =
  "0x601660a63803048060405260405f528060051b80606001806020528281529038905b9060169003600281601401848401601e01396014" +
  "8183604c0139906020900380602157" +
  "7fefcc8d2083f68d5e70971c735a94f161f8fd1c8778eb219b0812f0a8a7ba61796040848001035fa1607938038060795f395ff3" +
  "363d3d373d3d3d363d73";
const proxyEnd = "0x5af43d82803e903d91602b57fd5bf3";
const entryBytes = 22;

/** The parameters of a launch and of its initial buy. */
export type DecodedLaunch = {
  name: string;
  symbol: string;
  contractURI: string;
  splitter: string;
  salt: string;
  partner: string;
  feeBps: number;
  buyRecipient: string;
  buyMinimumOut: bigint;
};

/** The effects of a transaction, decoded only from its bytes. */
export type Decoded =
  | { kind: "create_splitter"; payees: string[]; shares: number[]; implementation: string }
  | { kind: "make_splitter"; payees: string[]; shares: number[]; salt: string }
  | ({ kind: "launch" } & DecodedLaunch)
  | ({ kind: "launch_for"; creator: string; value: bigint; deadline: bigint; signature: string } & DecodedLaunch)
  | { kind: "approve"; spender: string; amount: bigint }
  | {
      kind: "swap";
      tokenIn: string;
      tokenOut: string;
      fee: bigint;
      recipient: string;
      deadline: bigint;
      amountIn: bigint;
      minimumOut: bigint;
      priceLimit: bigint;
    }
  | { kind: "collect"; token: string }
  | { kind: "settle"; token: string; assets: string[] }
  | { kind: "pay_owed"; asset: string; party: string }
  | { kind: "release"; assets: string[]; payee: string };

/**
 * Decodes a transaction and checks that its bytes are the canonical encoding of the result: nothing can hide in
 * padding, in a second call or after the end.
 *
 * @throws if it is not one of the ten kinds of transactions that the service may prepare.
 */
export function decodeIndependently(transaction: { to?: string; data: string }): Decoded {
  const { to, data } = transaction;
  if (to === undefined) return decodeCreation(data);
  for (const decode of [
    decodeMade,
    decodeLaunch,
    decodeLocker,
    decodeRelease,
    decodeApproval,
    decodeSwap,
    decodeSwap02,
  ]) {
    const decoded = decode(data);
    if (decoded) return decoded;
  }
  throw new Error(`the service prepared a call of unknown kind: ${data.slice(0, 10)}`);
}

function canonical(contract: Interface, name: string, data: string): any {
  const fragment = contract.getFunction(name)!;
  if (!data.startsWith(fragment.selector)) return null;
  const args = contract.decodeFunctionData(fragment, data);
  const again = contract.encodeFunctionData(fragment, args.toArray(true));
  if (again.toLowerCase() !== data.toLowerCase()) throw new Error(`${name}: the bytes hold more than the call`);
  return args;
}

function decodeCreation(data: string): Decoded {
  const implementationAt = (creationStart.length - 2) / 2;
  const entriesAt = implementationAt + 20 + (proxyEnd.length - 2) / 2;
  const isPinned = data.startsWith(creationStart) && dataSlice(data, implementationAt + 20, entriesAt) === proxyEnd;
  if (!isPinned) throw new Error("the creation code is not a splitter's");
  const entries = dataSlice(data, entriesAt);
  const count = (entries.length - 2) / 2 / entryBytes;
  if (!Number.isInteger(count) || count < 1) throw new Error("the creation holds more than its entries");
  const at = (i: number, from: number, to: number) => dataSlice(entries, i * entryBytes + from, i * entryBytes + to);
  return {
    kind: "create_splitter",
    implementation: getAddress(dataSlice(data, implementationAt, implementationAt + 20)),
    payees: Array.from({ length: count }, (_, i) => getAddress(at(i, 0, 20))),
    shares: Array.from({ length: count }, (_, i) => Number(at(i, 20, 22))),
  };
}

function decodeMade(data: string): Decoded | null {
  const args = canonical(splitterFactory, "create", data);
  if (!args) return null;
  return { kind: "make_splitter", payees: [...args.payees], shares: [...args.shares].map(Number), salt: args.salt };
}

function decodeLaunch(data: string): Decoded | null {
  const own = canonical(factory, "launch", data);
  if (own) return { kind: "launch", ...getLaunch(own) };
  const args = canonical(factory, "launchFor", data);
  if (!args) return null;
  const { creator, value, deadline, signature } = args;
  return { kind: "launch_for", creator, value, deadline, signature, ...getLaunch(args) };
}

function getLaunch({ params, buy }: any): DecodedLaunch {
  return {
    name: params.name,
    symbol: params.symbol,
    contractURI: params.contractURI,
    splitter: params.splitter,
    salt: params.salt,
    partner: params.partner,
    feeBps: Number(params.feeBps),
    buyRecipient: buy.recipient,
    buyMinimumOut: buy.minimumOut,
  };
}

function decodeLocker(data: string): Decoded | null {
  const collect = canonical(locker, "collect", data);
  if (collect) return { kind: "collect", token: collect.token };
  const settle = canonical(locker, "settle", data);
  if (settle) return { kind: "settle", token: settle.token, assets: [...settle.assets] };
  const owed = canonical(locker, "payOwed", data);
  return owed ? { kind: "pay_owed", asset: owed.asset, party: owed.party } : null;
}

function decodeRelease(data: string): Decoded | null {
  const args = canonical(splitter, "release", data);
  return args ? { kind: "release", assets: [...args.assets], payee: args.payee } : null;
}

function decodeApproval(data: string): Decoded | null {
  const args = canonical(token, "approve", data);
  return args ? { kind: "approve", spender: args.spender, amount: args.amount } : null;
}

function decodeSwap(data: string): Decoded | null {
  const args = canonical(router, "exactInputSingle", data);
  return args ? getSwap(args.params, args.params.deadline) : null;
}

function decodeSwap02(data: string): Decoded | null {
  const outer = canonical(router02Outer, "multicall", data);
  if (!outer) return null;
  if (outer.data.length !== 1) throw new Error(`the router is called ${outer.data.length} times, not once`);
  const inner = canonical(router02, "exactInputSingle", outer.data[0]);
  if (!inner) throw new Error("the router is called for something else than a swap");
  return getSwap(inner.params, outer.deadline);
}

function getSwap(params: any, deadline: bigint): Decoded {
  return {
    kind: "swap",
    tokenIn: params.tokenIn,
    tokenOut: params.tokenOut,
    fee: params.fee,
    recipient: params.recipient,
    deadline,
    amountIn: params.amountIn,
    minimumOut: params.amountOutMinimum,
    priceLimit: params.sqrtPriceLimitX96,
  };
}
