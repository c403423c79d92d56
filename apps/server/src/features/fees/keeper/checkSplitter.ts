import { SlipwayError } from "@slipway/protocol/errors";
import type { Hex } from "viem";
import type { Head, ProvenManifest } from "../../../chain/readChain.ts";
import { awaitChain } from "../../../chain/rpcError.ts";
import { lockUntilCommit } from "../../../db/advisoryLocks.ts";
import { withTransaction } from "../../../db/withTransaction.ts";
import type { Deps } from "../../../deps.ts";
import { sendAttempt } from "../../../relayer/processPendingTransactions.ts";
import { type FeesPerGas, limitFees, type RelayerKey } from "../../../relayer/relayerKey.ts";
import { withLaunches } from "../../../transactions/launches.ts";
import { computeGasLimit, readL1Gas } from "../../../transactions/unsignedResult.ts";
import { type ClaimGroup, groupBySplitter } from "../claimGroups.ts";
import { maxTransactionGas } from "../prepareClaimCalls.ts";
import { getIndexedAllocations } from "../queries.ts";
import { type EndpointChain, getConfirmingChains, takeSmallest } from "./confirmedReads.ts";
import { type DueSplitter, delaySplitter, type NewClaim, postponeSplitter, storeClaim } from "./keeperQueries.ts";
import { type ClaimPlace, type KeeperClaim, planKeeperClaim } from "./planKeeperClaim.ts";
import { finalBlocks, readEarnings } from "./readEarnings.ts";

/** The parts of the service that the keeper uses. */
export type KeeperDeps = Pick<Deps, "chain" | "clock" | "config" | "db" | "ids" | "log" | "metrics" | "observer">;

/** The state of the chain for a round. `key` signs with the keeper's address. */
export type Round = {
  key: RelayerKey;
  proven: ProvenManifest;
  multicall3: Hex;
  head: Head;
  fees: FeesPerGas;
  balanceInWei: bigint;
};

/** The outcome of a check. */
export type CheckOutcome = "sent" | "below" | "expensive" | "cap" | "unconfirmed" | "failed";

/** A claim waits an hour at most for a lower price; later, a self-transfer uses its nonce. */
const claimSeconds = 3_600n;
/** The pause after a check that the price of gas, the day's cap or a missing endpoint ended. */
const waitSeconds = 600;

/**
 * Checks the earnings of the payees of a splitter, and sends one claim for the payees above the bound if it pays a multiple of
 * its gas. Stores the outcome of the check, so that a splitter that fails waits longer each time and delays no other splitter.
 */
export async function checkSplitter(deps: KeeperDeps, round: Round, due: DueSplitter): Promise<CheckOutcome> {
  try {
    return await check(deps, round, due);
  } catch (error) {
    const isKnown = error instanceof SlipwayError;
    // Not the fault of the splitter; the lease of the splitter ends soon.
    if (isKnown && error.code === "chain_unavailable") return "unconfirmed";
    deps.log.warn({ err: error, splitter: due.splitter }, "keeper check failed");
    await delaySplitter(deps.db.api, due.splitter, isKnown ? `${error.code}: ${error.message}` : "internal error");
    return "failed";
  }
}

async function check(deps: KeeperDeps, round: Round, due: DueSplitter): Promise<CheckOutcome> {
  const { chain, config, db } = deps;
  const { manifest } = round.proven;
  const { launches } = await withLaunches(
    deps,
    manifest,
    due.tokens,
    async () => null,
    () => ({ field: "token" }),
  );
  const [group, other] = groupBySplitter(launches);
  const allocations = getIndexedAllocations(group!.launches[0]!);
  if (other !== undefined || allocations === null)
    throw new SlipwayError("splitter_mismatch", "The splitter of the launches is not proven.");
  const confirming = getConfirmingChains(chain);
  if (confirming === null) return "unconfirmed";

  const bound = config.KEEPER_MIN_PAYOUT_WEI;
  const { latest, final } = await readConfirmedEarnings(confirming, group!, round);
  const earned = takeSmallest([latest, final]);
  const isPayable = (i: number) => earned[i]! >= bound;
  const payable = allocations.flatMap(({ payee }, i) => (isPayable(i) ? [payee] : []));
  // No further payee reaches the bound before the fees grow by the amount that the best of the others lacks. Earnings that
  // are not final yet are checked in the next round.
  const best = latest.reduce((most, amount, i) => (isPayable(i) || amount < most ? most : amount), 0n);
  const nextFees = best >= bound ? 0n : due.fees + bound - best;
  if (payable.length === 0) {
    await postponeSplitter(db.api, due.splitter, { nextFees, pauseSeconds: 0 });
    return "below";
  }

  const place = createPlace(deps, round);
  const claim = await planKeeperClaim(place, confirming, group!, payable, round.key.address);
  if (claim === null) throw new SlipwayError("simulation_reverted", "No call pays the payees.");
  // The amount beyond the earnings is a donation, which justifies no gas.
  const amounts = takeSmallest([claim.paid, earned.filter((_, i) => isPayable(i))]);
  const worth = amounts.reduce((sum, amount) => sum + amount, 0n);
  if (claim.paid.some((amount) => amount < bound))
    throw new SlipwayError("simulation_reverted", "The claim would pay a payee less than the payee has earned.");
  const outcome = await send(deps, round, confirming, { group: group!, payable, claim, worth });
  const pauseSeconds = outcome === "sent" ? 0 : waitSeconds;
  await postponeSplitter(db.api, due.splitter, { nextFees: outcome === "sent" ? nextFees : 0n, pauseSeconds });
  return outcome;
}

const createPlace = ({ chain }: KeeperDeps, { proven: { manifest }, multicall3 }: Round): ClaimPlace => ({
  chain,
  chainId: manifest.chain_id,
  multicall3,
  wrappedNative: manifest.wrapped_native.address as Hex,
});

/** Reads the earnings at the head and at a final block: of each payee the smallest that a confirming chain returns. */
async function readConfirmedEarnings(
  confirming: readonly EndpointChain[],
  group: ClaimGroup,
  { head, multicall3 }: Round,
): Promise<{ latest: bigint[]; final: bigint[] }> {
  const allocations = getIndexedAllocations(group.launches[0]!)!;
  const readAt = async (block: bigint) =>
    takeSmallest(
      await Promise.all(confirming.map((chain) => readEarnings(chain, group, allocations, block, multicall3))),
    );
  const finalBlock = head.number > finalBlocks ? head.number - finalBlocks : 0n;
  const [latest, final] = await Promise.all([readAt(head.number), readAt(finalBlock)]);
  return { latest, final };
}

type Payable = { group: ClaimGroup; payable: Hex[]; claim: KeeperClaim; worth: bigint };

/** Prices a claim, stores it with its nonce and signed bytes, and then sends it. */
async function send(
  deps: KeeperDeps,
  round: Round,
  confirming: readonly EndpointChain[],
  { group, payable, claim, worth }: Payable,
): Promise<"sent" | "expensive" | "cap"> {
  const { chain, config, db, ids, log } = deps;
  const { key, head, fees, proven } = round;
  const chainId = proven.manifest.chain_id;
  const l1Gas = await readL1Gas(chain, chainId, claim.call, head);
  const gasLimit = computeGasLimit(claim.simulation, l1Gas);
  // At this fee per gas, the claim pays exactly the demanded multiple of its highest possible cost.
  const worthwhileFee = worth / (BigInt(config.KEEPER_GAS_MULTIPLE) * gasLimit);
  const maxFee = worthwhileFee < config.KEEPER_MAX_FEE_WEI ? worthwhileFee : config.KEEPER_MAX_FEE_WEI;
  const isTooLarge = gasLimit > maxTransactionGas;
  if (isTooLarge || getPrice(fees) > maxFee || round.balanceInWei < gasLimit * maxFee) return "expensive";

  const address = key.address;
  const nonces = await awaitChain(Promise.all(confirming.map(({ client }) => client.getTransactionCount({ address }))));
  const row: NewClaim = {
    id: ids.uuid(),
    transactionId: ids.uuid(),
    chainId,
    sender: address.toLowerCase(),
    splitter: group.splitter,
    tokens: group.launches.map(({ token }) => token),
    payees: payable,
    worth,
    to: claim.call.to,
    data: claim.call.data,
    gasLimit,
    fees: limitFees(fees, maxFee),
    maxFee,
    // The lower one: an endpoint that returns a nonce that is too high would leave a gap.
    chainNonce: BigInt(Math.min(...nonces)),
    deadline: head.timestamp + claimSeconds,
  };
  const stored = await withTransaction(db.api, async (client) => {
    // Only one worker at a time compares with the day's cap and takes a nonce.
    await lockUntilCommit(client, "keeper");
    const attempt = await storeClaim(client, key, row, config.KEEPER_DAILY_CAP_WEI);
    if (attempt !== "nonce") return attempt;
    throw new SlipwayError("chain_unavailable", "The keeper's nonce is too far ahead of the stored nonce.");
  });
  if (stored === "cap") return "cap";
  // Another worker has sent a claim of this splitter.
  if (stored === "pending") return "sent";
  deps.metrics.keeperClaims.inc({ outcome: "sent" });
  log.info(
    { hash: stored.hash, splitter: group.splitter, payees: payable.length, worth: worth.toString() },
    "claim sent",
  );
  await sendAttempt(deps, stored).catch((error: unknown) => {
    log.warn({ err: error, hash: stored.hash }, "claim broadcast failed");
  });
  return "sent";
}

/** The price that the fees of `getFeesPerGas` assume: base fee plus tip. */
export const getPrice = ({ maxFee, priorityFee }: FeesPerGas): bigint => (maxFee + priorityFee) / 2n;
