import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createRpcClient } from "@slipway/deploy/createRpcClient";
import { describeGasStationToken } from "@slipway/deploy/describeGasStationToken";
import { type Address, encodeDeployData, encodeFunctionData, type Hex, parseAbi } from "viem";
import { sendRaw, wallets } from "./actors.ts";
import { compileAttacker } from "./compileAttacker.ts";
import { gasSettings, type OpenGasStack, type Person } from "./startGasStack.ts";
import type { Server } from "./startTestStack.ts";

/** The constants of AdverseToken.sol. */
export const tokenKinds = {
  noPermit: 0,
  permit: 1,
  daiPermit: 2,
  silentPermit: 3,
  feeOnTransfer: 4,
  paused: 5,
  rebasing: 6,
  returnsFalse: 7,
  noReturn: 8,
} as const;

const abi = parseAbi([
  "function mint(address to, uint256 amount)",
  "function blacklist(address account, bool isListed)",
]);

/** Starts another API over the stack, whose manifest also accepts adverse tokens of these kinds. */
export async function serveAdverseTokens<Name extends string>(
  gas: OpenGasStack,
  tokens: Record<Name, { kind: keyof typeof tokenKinds; decimals?: number }>,
): Promise<{ server: Server; tokens: Record<Name, Address> }> {
  const { stack } = gas;
  const client = createRpcClient(stack.chain.rpcUrl);
  const compiled = compileAttacker("AdverseToken");
  const deployed = {} as Record<Name, Address>;
  const described = [];
  for (const [name, { kind, decimals = 6 }] of Object.entries(tokens) as [Name, (typeof tokens)[Name]][]) {
    const data = encodeDeployData({ ...compiled, args: [tokenKinds[kind], decimals] });
    const receipt = await sendRaw(stack, wallets[9]!, { data });
    deployed[name] = receipt.contractAddress as Address;
    described.push(await describeGasStationToken(client, stack.manifest.chain_id, deployed[name]));
  }
  const manifest = { ...stack.manifest, gas_station_tokens: [...stack.manifest.gas_station_tokens, ...described] };
  const text = JSON.stringify(manifest);
  const path = join(dirname(stack.manifestPath), `manifest-${described.length}-${Object.keys(tokens).join("-")}.json`);
  writeFileSync(path, text);
  const sha256 = createHash("sha256").update(text).digest("hex");
  const server = await stack.openServer({ ...gasSettings, MANIFEST_PATH: path, MANIFEST_SHA256: sha256 });
  return { server, tokens: deployed };
}

/** Mints an amount of an adverse token to an account. */
export async function mint(gas: OpenGasStack, token: Hex, person: Person, amount: bigint): Promise<void> {
  const data = encodeFunctionData({ abi, functionName: "mint", args: [person.address, amount] });
  await sendRaw(gas.stack, wallets[9]!, { to: token, data });
}

/** Returns the calldata that adds an account to an adverse token's black list. */
export const blacklistCall = (person: Person): Hex =>
  encodeFunctionData({ abi, functionName: "blacklist", args: [person.address, true] });
