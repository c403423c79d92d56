import { vestingAbi } from "@slipway/protocol/contracts/vesting";
import { vestingFactoryAbi } from "@slipway/protocol/contracts/vestingFactory";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { erc20Abi } from "@slipway/protocol/uniswap";
import { computeVested, readVestingClone, type VestingTerms } from "@slipway/protocol/vesting";
import type { TokenVesting } from "@slipway/protocol/vestings";
import type { Hex } from "viem";
import type { Chain } from "../../chain/chain.ts";
import { readAtHead } from "../../chain/readAtHead.ts";
import { getMulticall3, getProvenManifest, readCodes } from "../../chain/readChain.ts";
import { listDeployments } from "../../chain/readManifest.ts";
import { getVestingContracts } from "../../transactions/madeVesting.ts";
import type { InitialBuyRow } from "./vestingQueries.ts";

/** A vesting with its terms, and what it has received and released of a token, in base units. */
export type VestingState = VestingTerms & {
  address: Hex;
  received: bigint;
  released: bigint;
  block: bigint;
  time: bigint;
};

/**
 * Reads the vesting that received a launch's initial buy. Two round trips: the code of the recipient has the terms, and the
 * record of the deployment's factory proves it.
 *
 * @returns null if the recipient is not a vesting of the launch's deployment. This takes one round trip, and none without a
 * recipient.
 * @throws SlipwayError `chain_unavailable`, `manifest_unverified`.
 */
export async function readVesting(
  chain: Pick<Chain, "request" | "client" | "simulationSupport">,
  manifest: Manifest,
  { token, launchFactory, recipient }: Pick<InitialBuyRow, "token" | "launchFactory" | "recipient">,
): Promise<VestingState | null> {
  const deployment = listDeployments(manifest).find(({ launch_factory }) => launch_factory.address === launchFactory);
  if (recipient === null || deployment === undefined) return null;
  const { factory, implementation } = getVestingContracts(deployment);
  const [code] = await readCodes(chain, [recipient], "latest");
  const terms = readVestingClone(code!, implementation);
  if (terms === null) return null;
  const reads = [
    { address: factory, abi: vestingFactoryAbi, functionName: "isVesting", args: [recipient] },
    { address: token, abi: erc20Abi, functionName: "balanceOf", args: [recipient] },
    { address: recipient, abi: vestingAbi, functionName: "released", args: [token] },
  ] as const;
  const { head, results } = await readAtHead(chain, manifest.chain_id, reads, getMulticall3(manifest));
  const [isVesting, balance, released] = results.map(({ result }) => result) as [boolean?, bigint?, bigint?];
  if (isVesting === undefined || balance === undefined || released === undefined) {
    throw new SlipwayError("chain_unavailable", "A contract could not be read.");
  }
  if (!isVesting) return null;
  const received = balance + released;
  return { ...terms, address: recipient, received, released, block: head.number, time: head.timestamp };
}

/** Computes what a release would pay at the block of the state, in base units. Source: Vesting.releasable. */
export function getReleasable(state: VestingState): bigint {
  const vested = computeVested(state.received, state, state.time);
  return vested > state.released ? vested - state.released : 0n;
}

/**
 * Computes the part that is not vested at the block of the state, as a fraction of the supply. Not the received amount: the
 * beneficiary could send released tokens back any number of times, and so let a few tokens look like most of the supply.
 */
export function getLockedShare(
  state: Pick<VestingState, "received" | "cliff" | "end" | "time">,
  totalSupply: bigint,
): number {
  const locked = state.received - computeVested(state.received, state, state.time);
  return Number((locked * 10n ** 12n) / totalSupply) / 1e12;
}

/** Reads the vesting of a token's initial buy for the wire. @throws SlipwayError as `readVesting`, and `manifest_missing`. */
export async function readTokenVesting(
  chain: Parameters<typeof readVesting>[0] & Pick<Chain, "manifestState">,
  row: InitialBuyRow,
): Promise<TokenVesting> {
  const none = { token: row.token, vesting: null, as_of_block: String(row.blockNumber) };
  if (row.recipient === null) return none;
  const found = await readVesting(chain, getProvenManifest(chain).manifest, row);
  if (found === null) return none;
  const { address, beneficiary, cliff, end, received, released, block, time } = found;
  return {
    token: row.token,
    vesting: {
      address,
      beneficiary,
      cliff,
      end,
      received: received.toString(),
      vested: computeVested(received, found, time).toString(),
      released: released.toString(),
      releasable: getReleasable(found).toString(),
      locked_share_of_supply: getLockedShare(found, row.totalSupply),
    },
    as_of_block: block.toString(),
  };
}
