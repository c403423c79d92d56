import { computeLaunchConstants } from "@slipway/deploy/computeLaunchConstants";
import type { Wallet } from "@slipway/dev/chain/wallets";
import { firstEditionSplitterInput } from "@slipway/protocol/firstEditionSplitter";
import type { FirstEditionDeployment } from "@slipway/protocol/manifest";
import type { Allocation } from "@slipway/protocol/splitter";
import { encodeDeployData, encodeFunctionData, type Hex, keccak256, parseAbi, zeroAddress } from "viem";
import { randomSalt, sendRaw, untilIndexed } from "../security/actors.ts";
import { launchedToken } from "../security/launchDirectly.ts";
import type { TestStack } from "../security/startTestStack.ts";
import released from "./artifacts.json" with { type: "json" };

/** The release of the first edition, as it was last built; `source` names the commit of this repository. */
export const firstEdition = released as {
  source: { commit: string; path: string };
  contracts: Record<"FeeSplitter" | "LaunchToken", FirstEditionTemplate> & { LaunchFactory: FirstEditionArtifact };
};

type FirstEditionArtifact = { sha256: string; bytecode: Hex };
type FirstEditionTemplate = FirstEditionArtifact & {
  deployedBytecode: Hex;
  immutableReferences: { start: number; length: number }[];
};

const factoryAbi = parseAbi([
  "constructor(address uniswapFactory, address wrappedNative, address treasury, int24 startTick, uint160 sqrtPriceX96IfToken0, uint160 sqrtPriceX96IfToken1, uint128 liquidityIfToken0, uint128 liquidityIfToken1)",
  "function LOCKER() view returns (address)",
  "struct LaunchParams { string name; string symbol; string contractURI; address splitter; bytes32 salt; address partner; uint16 partnerShareBps; }",
  "struct InitialBuy { address recipient; uint256 minimumOut; }",
  "function launch(LaunchParams params, InitialBuy buy) payable returns (address token, address pool, uint256 amountOut)",
]);

/** Deploys the factory of the first edition, which creates its locker, beside the stack's own. */
export async function deployFirstEdition(stack: TestStack, deployer: Wallet): Promise<FirstEditionDeployment> {
  const { manifest, deps } = stack;
  const { client } = deps.chain;
  const constants = computeLaunchConstants(manifest.current.start_tick);
  const data = encodeDeployData({
    abi: factoryAbi,
    bytecode: firstEdition.contracts.LaunchFactory.bytecode,
    args: [
      manifest.uniswap.factory.address as Hex,
      manifest.wrapped_native.address as Hex,
      manifest.treasury as Hex,
      constants.startTick,
      constants.sqrtPriceX96IfToken0,
      constants.sqrtPriceX96IfToken1,
      constants.liquidityIfToken0,
      constants.liquidityIfToken1,
    ],
  });
  const receipt = await sendRaw(stack, deployer, { data });
  const factory = receipt.contractAddress!;
  const locker = await client.readContract({ address: factory, abi: factoryAbi, functionName: "LOCKER" });
  const pin = async (address: Hex) => {
    const code = (await client.getCode({ address })) ?? "0x";
    return { address, runtime_code_hash: keccak256(code) };
  };
  return {
    deployment_block: Number(receipt.blockNumber),
    launch_factory: await pin(factory),
    fee_locker: await pin(locker),
    launch_token: pinTemplate(firstEdition.contracts.LaunchToken),
    fee_splitter: pinTemplate(firstEdition.contracts.FeeSplitter),
    start_tick: manifest.current.start_tick,
    fee_policy: manifest.current.fee_policy,
  };
}

function pinTemplate({ bytecode, deployedBytecode, immutableReferences }: FirstEditionTemplate) {
  return {
    creation_code_hash: keccak256(bytecode),
    runtime_code_hash: keccak256(deployedBytecode),
    immutable_offsets: immutableReferences.map(({ start, length }): [number, number] => [start, length]),
  };
}

/** Deploys a splitter of the first edition and launches with it. The token is indexed when this resolves. */
export async function launchFirstEdition(
  stack: TestStack,
  creator: Wallet,
  { launch_factory }: FirstEditionDeployment,
  allocations: readonly Allocation[],
): Promise<{ token: Hex; splitter: Hex }> {
  const input = firstEditionSplitterInput(firstEdition.contracts.FeeSplitter.bytecode, allocations);
  const splitter = (await sendRaw(stack, creator, { data: input })).contractAddress!;
  const names = { name: "Tin Raft", symbol: "RAFT", contractURI: "" };
  const data = encodeFunctionData({
    abi: factoryAbi,
    functionName: "launch",
    args: [
      { ...names, splitter, salt: randomSalt(), partner: zeroAddress, partnerShareBps: 0 },
      { recipient: creator.address, minimumOut: 0n },
    ],
  });
  const token = launchedToken(await sendRaw(stack, creator, { to: launch_factory.address as Hex, data }));
  await untilIndexed(stack, token);
  return { token, splitter };
}
