import type { Wallet } from "@slipway/dev/chain/wallets";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { splitterCreationInput } from "@slipway/protocol/splitter";
import { decodeEventLog, encodeFunctionData, type Hex, type TransactionReceipt, zeroAddress } from "viem";
import { randomSalt, sendRaw } from "./actors.ts";
import type { TestStack } from "./startTestStack.ts";

/** The chain and its contracts. */
type Launched = { chain: { rpcUrl: string }; manifest: TestStack["manifest"] };
export type LaunchTexts = { name?: string; symbol?: string; contractURI?: string };

/** Deploys a splitter that pays one wallet, without the service. */
export async function deploySplitter(stack: Launched, creator: Wallet): Promise<Hex> {
  const implementation = stack.manifest.current.splitter_implementation.address as Hex;
  const data = splitterCreationInput(implementation, [{ payee: creator.address as Hex, shareBps: 10_000 }]);
  return (await sendRaw(stack, creator, { data })).contractAddress!;
}

/**
 * Sends a launch directly to the factory, with any texts.
 *
 * @param change - Changes the call's bytes before they are sent.
 */
export async function sendLaunch(
  stack: Launched,
  creator: Wallet,
  splitter: Hex,
  texts: LaunchTexts,
  change: (data: Hex) => string = (data) => data,
): Promise<TransactionReceipt> {
  const data = encodeFunctionData({
    abi: launchFactoryAbi,
    functionName: "launch",
    args: [
      {
        name: "Tin Boat",
        symbol: "TIN",
        contractURI: "",
        ...texts,
        splitter,
        salt: randomSalt(),
        partner: zeroAddress,
        feeBps: 100,
      },
      { recipient: creator.address as Hex, minimumOut: 0n },
    ],
  });
  return await sendRaw(stack, creator, {
    to: stack.manifest.current.launch_factory.address as Hex,
    data: change(data) as Hex,
  });
}

/** Returns the token of a successful launch. */
export function launchedToken(receipt: TransactionReceipt): Hex {
  for (const log of receipt.logs) {
    const event = decodeLaunch(log);
    if (event !== null) return event;
  }
  throw new Error(`there is no launch in ${receipt.transactionHash}: ${receipt.status}`);
}

function decodeLaunch(log: TransactionReceipt["logs"][number]): Hex | null {
  try {
    const event = decodeEventLog({ abi: launchFactoryAbi, eventName: "Launched", data: log.data, topics: log.topics });
    return event.args.token;
  } catch {
    return null;
  }
}
