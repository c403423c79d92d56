import type { LaunchDeployment, Manifest } from "@slipway/protocol/manifest";
import { type Address, type Hex, numberToHex, pad, size, slice } from "viem";
import { computeLaunchConstants } from "./computeLaunchConstants.ts";
import { callRpc, type RpcClient } from "./createRpcClient.ts";
import { DeployError } from "./deployError.ts";
import { type ContractName, readArtifact } from "./readArtifact.ts";

/** A contract that the deployer created, and its constructor's arguments; null for an account that may change later. */
type Creation = {
  name: string;
  contractName: ContractName;
  contract: { address: string; creation_transaction: string };
  args: (Hex | null)[];
};

export type CreationCheck = { name: string; expected: string; actual: string };

/**
 * Checks the transactions that created Slipway's contracts: each must have no target, and exactly the artifact's
 * creation code with the manifest's arguments. The runtime code does not prove the storage: other creation code can
 * return the same code after it has written storage, such as a partner's share, an owed amount, or a splitter that was
 * never created.
 *
 * The constructors of four of these contracts create FeeLocker and the implementations of splitters, vestings and openings.
 *
 * @throws DeployError `rpc_unavailable`, or the node's error.
 */
export function verifyCreations(client: RpcClient, manifest: Manifest): Promise<CreationCheck[]> {
  return Promise.all(
    listCreations(manifest).map(async (creation) => {
      const { name, contract } = creation;
      const expected = `created by ${contract.creation_transaction}`;
      const problem = await findProblem(client, creation);
      return { name, expected, actual: problem === null ? expected : problem };
    }),
  );
}

function listCreations(manifest: Manifest): Creation[] {
  const creations = listDeploymentCreations("", manifest.current, manifest);
  for (const [index, deployment] of manifest.history.entries()) {
    creations.push(...listDeploymentCreations(`history.${index}.`, deployment, manifest));
  }
  if (manifest.gas_station !== null) {
    creations.push({
      name: "gas_station.creation",
      contractName: "GasStation",
      contract: manifest.gas_station,
      args: [null, null, null],
    });
  }
  return creations;
}

function listDeploymentCreations(prefix: string, deployment: LaunchDeployment, manifest: Manifest): Creation[] {
  const address = (text: string): Hex => pad(text as Address);
  const uint = (value: bigint): Hex => numberToHex(value, { size: 32 });
  const { splitter_factory, launch_factory } = deployment;
  const weth = address(manifest.wrapped_native.address);
  const constants = readConstants(deployment.start_tick);
  return [
    {
      name: `${prefix}splitter_factory.creation`,
      contractName: "SplitterFactory",
      contract: splitter_factory,
      args: [weth],
    },
    {
      name: `${prefix}launch_factory.creation`,
      contractName: "LaunchFactory",
      contract: launch_factory,
      args: [
        address(manifest.uniswap.factory.address),
        weth,
        address(splitter_factory.address),
        null,
        numberToHex(deployment.start_tick, { size: 32, signed: true }),
        ...(constants === null ? [] : constants.map(uint)),
      ],
    },
    {
      name: `${prefix}vesting_factory.creation`,
      contractName: "VestingFactory",
      contract: deployment.vesting_factory,
      args: [],
    },
    {
      name: `${prefix}opening_factory.creation`,
      contractName: "OpeningFactory",
      contract: deployment.opening_factory,
      args: [address(launch_factory.address)],
    },
  ];
}

/** Null for a start tick at which no launch can start: then no creation matches. */
function readConstants(startTick: number): bigint[] | null {
  try {
    const constants = computeLaunchConstants(startTick);
    const { sqrtPriceX96IfToken0, sqrtPriceX96IfToken1, liquidityIfToken0, liquidityIfToken1 } = constants;
    return [sqrtPriceX96IfToken0, sqrtPriceX96IfToken1, liquidityIfToken0, liquidityIfToken1];
  } catch (error) {
    if (error instanceof DeployError) return null;
    throw error;
  }
}

type Transaction = { to?: Hex | null; input: Hex };
type Receipt = { status: Hex; contractAddress?: Hex | null };

async function findProblem(client: RpcClient, { contract, contractName, args }: Creation): Promise<string | null> {
  const params = [contract.creation_transaction];
  const [transaction, receipt] = (await Promise.all([
    callRpc(client, "eth_getTransactionByHash", params),
    callRpc(client, "eth_getTransactionReceipt", params),
  ])) as [Transaction | null, Receipt | null];
  if (transaction === null || receipt === null) return "the node does not have the transaction";
  if ((transaction.to ?? null) !== null || BigInt(receipt.status) !== 1n) return "not a contract creation";
  if (receipt.contractAddress?.toLowerCase() !== contract.address.toLowerCase()) {
    return `the creation of ${receipt.contractAddress}`;
  }
  const { bytecode } = readArtifact(contractName);
  const input = transaction.input.toLowerCase() as Hex;
  if (!input.startsWith(bytecode.toLowerCase())) return `not created from the creation code of ${contractName}`;
  if (size(input) !== size(bytecode) + 32 * args.length) return "created with other arguments";
  const isExpected = args.every((expected, index) => {
    const start = size(bytecode) + 32 * index;
    return expected === null || slice(input, start, start + 32) === expected.toLowerCase();
  });
  return isExpected ? null : "created with other arguments";
}
