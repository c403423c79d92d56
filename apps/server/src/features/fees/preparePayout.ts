import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { readSplitterClone } from "@slipway/protocol/splitter";
import type { Warning } from "@slipway/protocol/transaction";
import { type ContractFunctionParameters, type Hex, zeroAddress } from "viem";
import { getMulticall3, type HeadBlock, readCodes, tryReadContracts } from "../../chain/readChain.ts";
import { listDeployments } from "../../chain/readManifest.ts";
import { createEventParser } from "../../transactions/createEventParser.ts";
import type { IndexedLaunch } from "../../transactions/launchQueries.ts";
import { type Context, definePreparation, type Outcome } from "../../transactions/preparation.ts";
import type { Simulation } from "../../transactions/simulate.ts";
import {
  createLockerReads,
  findLaunchToken,
  findUnfitReceiver,
  findUniswapContract,
} from "../../transactions/unfitReceiver.ts";
import { type PayeesState, readPayees, verifyPayees } from "./queries.ts";

/** A validated request; addresses are checksummed. A null `payout` is the wallet itself. */
export type PayoutOrder = { token: Hex; wallet: Hex; payout: Hex | null };

const step = { index: 1, total: 1, description: "Choose where the recipient's part is paid" };

/**
 * Prepares the transaction that sets a recipient's payout. Only the recipient itself can send the transaction.
 *
 * @throws SlipwayError `pool_not_supported`, `recipient_cannot_receive`, `splitter_mismatch`, `not_recipient`,
 * `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
 */
export const preparePayout = definePreparation({
  action: "set_payout",
  tokens: (order: PayoutOrder) => [order.token],

  read: (context: Context<PayoutOrder>) => {
    const supported = context.launches[0]!;
    const { payout } = context.order;
    if (payout !== null) requireFitPayout(payout, supported.launch, context.manifest);
    return readPayees(context, supported);
  },

  plan: (context, payees: PayeesState, block) => {
    const { chain, manifest, order } = context;
    const { wallet, payout } = order;
    const supported = context.launches[0]!;
    const { splitter } = supported.launch;
    const data = encodeCall({ abi: feeSplitterAbi, functionName: "setPayout", args: [payout ?? zeroAddress] });
    return {
      shape: "transaction",
      candidates: [{ calls: [{ from: wallet, to: splitter, data, value: 0n }] }],
      reads: {
        state: async () => await readPayoutState(context, block),
        payees: async () => await verifyPayees(context, supported, payees, block),
        codes: async () => (payout === null ? [] : await readCodes(chain, [payout], block.number)),
        uniswapContract: async () =>
          payout === null ? null : await findUniswapContract(chain, payout, manifest, block.number),
      },
    };
  },

  checkReads: ({ context, answers }): Outcome<unknown> | undefined => {
    const { manifest, order } = context;
    const { wallet, payout } = order;
    if (!answers.payees.some(({ payee }) => payee === wallet)) {
      throw new SlipwayError("not_recipient", undefined, { field: "wallet" });
    }
    const { current, unfit } = answers.state;
    const [code = "0x"] = answers.codes;
    const kind = unfit ?? answers.uniswapContract ?? (isSplitterCode(code, manifest) ? "a splitter" : null);
    if (payout !== null && kind !== null) throw createUnfitPayout(payout, kind);
    if ((current ?? wallet) !== (payout ?? wallet)) return undefined;
    const { splitter } = context.launches[0]!.launch;
    return { status: "nothing_to_do", step, next: null, expected: { splitter } };
  },

  check: ({ context, answers, simulation }) => {
    const { wallet, payout } = context.order;
    const { splitter } = context.launches[0]!.launch;
    requireOnlyPayout(simulation, splitter, wallet, payout ?? zeroAddress);
    const [code = "0x"] = answers.codes;
    return {
      status: "ready",
      step,
      next: null,
      warnings: createPayoutWarnings(splitter, wallet, payout ?? wallet, code),
      expected: { splitter },
    };
  },
});

/** Asserts the properties of a payout that need no chain. @throws SlipwayError `recipient_cannot_receive`. */
function requireFitPayout(payout: Hex, { token, pool, splitter }: IndexedLaunch, manifest: Manifest): void {
  const own = { [token]: "a launch token", [pool]: "a pool", [splitter]: "a splitter" }[payout];
  const kind = own ?? findUnfitReceiver(payout, manifest);
  if (kind !== null) throw createUnfitPayout(payout, kind);
}

/** @param kind - The kind of the unfit payout, as a noun phrase. */
function createUnfitPayout(payout: Hex, kind: string): SlipwayError {
  return new SlipwayError("recipient_cannot_receive", `The payout ${payout} is ${kind}.`, {
    field: "payout",
    details: { wallet: payout },
  });
}

/** Reads the wallet's payout at the block, and whether the new payout is a launch token. One round trip. */
async function readPayoutState({ chain, manifest, order, launches }: Context<PayoutOrder>, block: HeadBlock) {
  const { wallet, payout } = order;
  const { splitter } = launches[0]!.launch;
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

/** Whether code is a splitter of any deployment, which would divide the payments among its own payees. */
function isSplitterCode(code: Hex, manifest: Manifest): boolean {
  return listDeployments(manifest).some(
    ({ splitter_implementation }) => readSplitterClone(code, splitter_implementation.address as Hex) !== null,
  );
}

const parseChanges = createEventParser(feeSplitterAbi, "PayoutChanged");

/** Asserts that a simulated transaction only changes the payout. @throws SlipwayError `simulation_reverted`. */
function requireOnlyPayout(simulation: Simulation, splitter: Hex, wallet: Hex, payout: Hex): void {
  if (!simulation.areAssetChangesKnown) return;
  const { logs, assetChanges } = simulation;
  const own = logs.filter(({ address }) => address.toLowerCase() === splitter.toLowerCase());
  const [change] = parseChanges(own);
  const isExact = logs.length === 1 && change?.payee === wallet && change.payout === payout;
  if (isExact && assetChanges.length === 0) return;
  throw new SlipwayError("simulation_reverted", "The simulated transaction has other effects than requested.");
}

/** The code prefix of an account that delegates to code (EIP-7702); such an account can send its assets. */
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
