import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import type { Warning } from "@slipway/protocol/transaction";
import { type ContractFunctionParameters, type Hex, zeroAddress } from "viem";
import type { Chain } from "../../chain/chain.ts";
import { getMulticall3, type HeadBlock, readCodes, tryReadContracts } from "../../chain/readChain.ts";
import type { LaunchTerms, PredictedLaunch } from "../../transactions/launchTerms.ts";
import {
  createLockerReads,
  findLaunchToken,
  findUnfitReceiver,
  findUniswapContract,
} from "../../transactions/unfitReceiver.ts";

/**
 * Asserts, without the chain, that a launch's partner and the recipient of its initial buy can pass on received assets.
 *
 * @throws SlipwayError `recipient_cannot_receive` for a precompile, a contract of the manifest, the token or the pool.
 */
export function requireFitOptions(
  { params, buy, vesting }: LaunchTerms,
  predicted: PredictedLaunch,
  manifest: Manifest,
): void {
  const own: Record<string, string> = {
    [predicted.token]: "the launch's token",
    [predicted.pool]: "the launch's pool",
  };
  for (const [field, address] of [
    ["partner", params.partner],
    ["initial_buy.recipient", vesting?.beneficiary ?? buy.recipient],
  ] as const) {
    if (address === zeroAddress) continue;
    const kind = own[address] ?? findUnfitReceiver(address, manifest);
    if (kind !== null) throw createUnfit(field, address, kind);
  }
}

/** Code prefix of an account that delegates (EIP-7702). Such an account can pass on received assets. */
const delegationPrefix = "0xef0100";

/**
 * Checks the partner of a launch and the recipient of its initial buy at the head. One round trip; none if the options
 * name neither a partner nor a recipient other than the creator.
 *
 * @returns Warnings about a partner without a share, and about a recipient that is not the creator or has code.
 * @throws SlipwayError `recipient_cannot_receive` for a pool or a launch token, `chain_unavailable`.
 */
export async function checkLaunchOptions(
  chain: Pick<Chain, "request" | "client">,
  manifest: Manifest,
  { creator, params: { partner }, buy, vesting }: LaunchTerms,
  head: HeadBlock,
): Promise<Warning[]> {
  const recipient = vesting?.beneficiary ?? buy.recipient;
  const isOther = recipient !== zeroAddress && recipient !== creator;
  if (partner === zeroAddress && !isOther) return [];
  const factory = manifest.current.launch_factory.address as Hex;
  const reads = [
    { address: factory, abi: launchFactoryAbi, functionName: "partnerShareBps", args: [partner] },
    ...(isOther ? createLockerReads(recipient, manifest) : []),
  ] as ContractFunctionParameters[];
  const [[share, ...answers], [code], uniswapContract] = await Promise.all([
    tryReadContracts(chain, head.number, reads, getMulticall3(manifest)),
    isOther ? readCodes(chain, [recipient], head.number) : (["0x"] as const),
    isOther ? findUniswapContract(chain, recipient, manifest, head.number) : null,
  ]);
  const kind = findLaunchToken(answers) ?? uniswapContract;
  if (kind !== null) throw createUnfit("initial_buy.recipient", recipient, kind);
  if (share!.result === undefined) throw new SlipwayError("chain_unavailable", "A contract could not be read.");
  return [
    ...(partner !== zeroAddress && share!.result === 0 ? [createPartnerWarning(partner)] : []),
    ...(isOther ? [createRecipientWarning(recipient)] : []),
    ...(code === "0x" || code!.toLowerCase().startsWith(delegationPrefix) ? [] : [createContractWarning(recipient)]),
  ];
}

function createPartnerWarning(partner: Hex): Warning {
  return {
    code: "partner_not_registered",
    message: `The treasury has registered no share for the partner ${partner}; the launch fixes the share at zero.`,
  };
}

/** Any key with the scope `write` can set options, so the signer of the launch must see who receives the tokens. */
function createRecipientWarning(recipient: Hex): Warning {
  return {
    code: "initial_buy_recipient",
    message: `The tokens of the initial buy go to ${recipient}, which is not the creator.`,
  };
}

function createContractWarning(recipient: Hex): Warning {
  return {
    code: "recipient_is_contract",
    message: `The initial buy's recipient, ${recipient}, is a contract: tokens are lost unless it can transfer them.`,
  };
}

function createUnfit(field: string, address: Hex, kind: string): SlipwayError {
  const what = field === "partner" ? "The partner" : "The recipient of the initial buy";
  return new SlipwayError("recipient_cannot_receive", `${what}, ${address}, is ${kind}: change the options.`, {
    field,
    details: { wallet: address },
  });
}
