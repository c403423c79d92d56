import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { readSplitterClone } from "@slipway/protocol/splitter";
import type { UnsignedResult, Warning } from "@slipway/protocol/transaction";
import { type ContractFunctionParameters, type Hex, zeroAddress } from "viem";
import { atHead } from "../../chain/atHead.ts";
import {
  getMulticall3,
  type HeadBlock,
  type ProvenManifest,
  readBalance,
  readCodes,
  tryReadContracts,
} from "../../chain/readChain.ts";
import { listDeployments } from "../../chain/readManifest.ts";
import { findSplitterCreation, verifySplitterDeployment } from "../../chain/verifySplitterDeployment.ts";
import type { Deps } from "../../deps.ts";
import { createEventParser } from "../../transactions/createEventParser.ts";
import { workWithLaunch } from "../../transactions/launches.ts";
import type { IndexedLaunch } from "../../transactions/launchQueries.ts";
import { type Simulation, simulate } from "../../transactions/simulate.ts";
import {
  createLockerReads,
  findLaunchToken,
  findUnfitReceiver,
  findUniswapContract,
} from "../../transactions/unfitReceiver.ts";
import {
  createNothingToDoResult,
  createReadyResult,
  readL1Gas,
  unwrapSettled,
} from "../../transactions/unsignedResult.ts";
import { getIndexedAllocations } from "./queries.ts";

/** A validated request; addresses are checksummed. `payout` null: the wallet itself. */
export type PayoutOrder = { token: Hex; wallet: Hex; payout: Hex | null };

const step = { index: 1, total: 1, description: "Choose where the recipient's part is paid" };

/**
 * Prepares the transaction by which a recipient chooses where its part is paid. Only the recipient itself can send it. One
 * round trip, or two (`atHead`): the head; the present payout, the new one's code and the simulation.
 *
 * @throws SlipwayError `pool_not_supported`, `recipient_cannot_receive`, `splitter_mismatch`,
 * `not_recipient`, `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
 */
export async function preparePayout(
  deps: Pick<Deps, "chain" | "db">,
  proven: ProvenManifest,
  order: PayoutOrder,
  requestId: string,
): Promise<UnsignedResult> {
  const { manifest } = proven;
  const { wallet, payout } = order;
  const data = encodeCall({
    abi: feeSplitterAbi,
    functionName: "setPayout",
    args: [payout ?? zeroAddress],
  });
  const { launch, ethUsd, result } = await workWithLaunch(
    deps,
    manifest,
    order.token,
    async ({ launch, deployment }) => {
      if (payout !== null) requireFitPayout(payout, launch, manifest);
      const allocations = getIndexedAllocations(launch);
      const creation =
        allocations === null
          ? findSplitterCreation(deps.chain, launch.splitter, deployment, proven.verifiedAtBlock)
          : null;
      const call = { from: wallet, to: launch.splitter, data, value: 0n };
      // In one round trip; an error of the request takes precedence over an error of the simulation.
      const work = async (block: HeadBlock) =>
        await Promise.allSettled([
          allocations ?? verifySplitterDeployment(deps.chain, launch.splitter, (await creation)!, deployment, block),
          simulate(deps.chain, call, block),
          readL1Gas(deps.chain, manifest.chain_id, call, block),
          payout === null ? ["0x" as Hex] : readCodes(deps.chain, [payout], block.number),
          payout === null ? null : findUniswapContract(deps.chain, payout, manifest, block.number),
          readPayoutState(deps.chain, manifest, launch, order, block),
          readBalance(deps.chain, wallet, block),
        ]);
      return { call, ...(await atHead(deps.chain, manifest.chain_id, work, creation)) };
    },
  );
  const { call, head } = result;
  const [payees, simulated, l1, codes, uniswapContract, state, read] = result.result;
  const nativeBalance = unwrapSettled(read);
  const { current, unfit } = unwrapSettled(state);
  if (!unwrapSettled(payees).some(({ payee }) => payee === wallet)) {
    throw new SlipwayError("not_recipient", undefined, { field: "wallet" });
  }
  const code = unwrapSettled(codes)[0]!;
  const kind = unfit ?? unwrapSettled(uniswapContract) ?? (isSplitterCode(code, manifest) ? "a splitter" : null);
  if (payout !== null && kind !== null) throw createUnfitPayout(payout, kind);

  const receiver = payout ?? wallet;
  const shared = { action: "set_payout" as const, step, next: null, proven, head, requestId };
  const expected = { splitter: launch.splitter };
  if ((current ?? wallet) === receiver) return createNothingToDoResult({ ...shared, expected });
  const simulation = unwrapSettled(simulated);
  requireOnlyPayout(simulation, launch.splitter, wallet, payout ?? zeroAddress);
  return createReadyResult({
    ...shared,
    ...{ expected, call, simulation, l1Gas: unwrapSettled(l1), ethUsd, nativeBalance },
    warnings: createPayoutWarnings(launch.splitter, wallet, receiver, code),
  });
}

/** Asserts what can be checked of a payout without the chain. @throws SlipwayError `recipient_cannot_receive`. */
function requireFitPayout(payout: Hex, { token, pool, splitter }: IndexedLaunch, manifest: Manifest): void {
  const own = { [token]: "a launch token", [pool]: "a pool", [splitter]: "a splitter" }[payout];
  const kind = own ?? findUnfitReceiver(payout, manifest);
  if (kind !== null) throw createUnfitPayout(payout, kind);
}

/** @param kind - What the payout is, as a noun phrase. */
function createUnfitPayout(payout: Hex, kind: string): SlipwayError {
  return new SlipwayError("recipient_cannot_receive", `The payout ${payout} is ${kind}.`, {
    field: "payout",
    details: { wallet: payout },
  });
}

/** Reads the wallet's payout at the head, and why the new one cannot pass on what it receives. One round trip. */
async function readPayoutState(
  chain: Deps["chain"],
  manifest: Manifest,
  { splitter }: IndexedLaunch,
  { wallet, payout }: PayoutOrder,
  block: HeadBlock,
) {
  const reads: ContractFunctionParameters[] = [
    { address: splitter, abi: feeSplitterAbi, functionName: "payoutOf", args: [wallet] },
    ...(payout === null ? [] : createLockerReads(payout, manifest)),
  ];
  const results = await tryReadContracts(chain, block.number, reads, getMulticall3(manifest));
  const [first, ...others] = results as unknown as { result?: unknown; error?: Error }[];
  const current = first?.result as Hex | undefined;
  return {
    current: current === undefined || current === zeroAddress ? null : current,
    unfit: findLaunchToken(others),
  };
}

/** Whether code is that of a splitter of any deployment: what it receives is divided among its own payees. */
function isSplitterCode(code: Hex, manifest: Manifest): boolean {
  return listDeployments(manifest).some(
    ({ splitter_implementation }) => readSplitterClone(code, splitter_implementation.address as Hex) !== null,
  );
}

const parseChanges = createEventParser(feeSplitterAbi, "PayoutChanged");

/** Asserts that a simulated change of a payout does nothing else. @throws SlipwayError `simulation_reverted`. */
function requireOnlyPayout(simulation: Simulation, splitter: Hex, wallet: Hex, payout: Hex): void {
  if (!simulation.areAssetChangesKnown) return;
  const { logs, assetChanges } = simulation;
  const own = logs.filter(({ address }) => address.toLowerCase() === splitter.toLowerCase());
  const [change] = parseChanges(own);
  const isExact = logs.length === 1 && change?.payee === wallet && change.payout === payout;
  if (isExact && assetChanges.length === 0) return;
  throw new SlipwayError("simulation_reverted", "The simulated transaction does something else than was asked for.");
}

/** An account that delegates to code (EIP-7702) can send what it receives. */
const delegationPrefix = "0xef0100";

function createPayoutWarnings(splitter: Hex, wallet: Hex, receiver: Hex, code: Hex): Warning[] {
  const changed: Warning = {
    code: "payout_changed",
    message: `From then on the splitter ${splitter} pays the part of ${wallet} to ${receiver} in every release, also of what is claimable already.`,
  };
  if (code === "0x" || code.toLowerCase().startsWith(delegationPrefix)) return [changed];
  return [
    changed,
    {
      code: "recipient_is_contract",
      message: `The payout ${receiver} is a contract: what it is paid is lost unless it can pass tokens on.`,
    },
  ];
}
