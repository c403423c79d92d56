import { readFileSync } from "node:fs";
import { AbiCoder, Interface } from "ethers";

// Written from the contracts' interfaces and decoded by ethers: nothing of the service's own builder is used here.
const factory = new Interface([
  "function launch((string name,string symbol,string contractURI,address splitter,bytes32 salt,address partner,uint16 partnerShareBps) params,(address recipient,uint256 minimumOut) buy)",
]);
const locker = new Interface(["function collect(address token)", "function settle(address token, address[] assets)"]);
const splitter = new Interface(["function release(address[] assets, address payee)"]);
const token = new Interface(["function approve(address spender, uint256 amount)"]);
const router = new Interface([
  "function exactInputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 deadline,uint256 amountIn,uint256 amountOutMinimum,uint160 sqrtPriceLimitX96) params)",
]);
const router02 = new Interface([
  "function exactInputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 amountIn,uint256 amountOutMinimum,uint160 sqrtPriceLimitX96) params)",
]);
const router02Outer = new Interface(["function multicall(uint256 deadline, bytes[] data)"]);

const artifact = JSON.parse(
  readFileSync(new URL("../../../contracts/artifacts/FeeSplitter.json", import.meta.url), "utf8"),
) as { bytecode: string };

/** What a transaction does, by its bytes alone. */
export type Decoded =
  | { kind: "create_splitter"; payees: string[]; shares: number[] }
  | {
      kind: "launch";
      name: string;
      symbol: string;
      contractURI: string;
      splitter: string;
      salt: string;
      partner: string;
      partnerShareBps: bigint;
      buyRecipient: string;
      buyMinimumOut: bigint;
    }
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
  | { kind: "release"; assets: string[]; payee: string };

/**
 * Decodes a transaction and insists that its bytes are the canonical encoding of what was decoded: nothing can hide in
 * padding, in a second call or after the end.
 *
 * @throws when it is none of the seven things that the service may prepare.
 */
export function decodeIndependently(transaction: { to?: string; data: string }): Decoded {
  const { to, data } = transaction;
  if (to === undefined) return decodeCreation(data);
  for (const decode of [decodeLaunch, decodeLocker, decodeRelease, decodeApproval, decodeSwap, decodeSwap02]) {
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
  if (!data.startsWith(artifact.bytecode)) throw new Error("the creation code is not the compiled FeeSplitter");
  const rest = `0x${data.slice(artifact.bytecode.length)}`;
  const types = ["address[]", "uint16[]"];
  const [payees, shares] = AbiCoder.defaultAbiCoder().decode(types, rest) as unknown as [string[], bigint[]];
  const again = AbiCoder.defaultAbiCoder().encode(types, [[...payees], [...shares]]);
  if (again.toLowerCase() !== rest.toLowerCase()) throw new Error("the creation holds more than its arguments");
  return { kind: "create_splitter", payees: [...payees], shares: [...shares].map(Number) };
}

function decodeLaunch(data: string): Decoded | null {
  const args = canonical(factory, "launch", data);
  if (!args) return null;
  const { params, buy } = args;
  return {
    kind: "launch",
    name: params.name,
    symbol: params.symbol,
    contractURI: params.contractURI,
    splitter: params.splitter,
    salt: params.salt,
    partner: params.partner,
    partnerShareBps: params.partnerShareBps,
    buyRecipient: buy.recipient,
    buyMinimumOut: buy.minimumOut,
  };
}

function decodeLocker(data: string): Decoded | null {
  const collect = canonical(locker, "collect", data);
  if (collect) return { kind: "collect", token: collect.token };
  const settle = canonical(locker, "settle", data);
  return settle ? { kind: "settle", token: settle.token, assets: [...settle.assets] } : null;
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
