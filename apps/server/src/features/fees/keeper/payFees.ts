import { formatEther } from "viem";
import { getMulticall3, getProvenManifest, readHead } from "../../../chain/readChain.ts";
import { awaitChain } from "../../../chain/rpcError.ts";
import { tryLockUntilCommit } from "../../../db/advisoryLocks.ts";
import { withTransaction } from "../../../db/withTransaction.ts";
import { type Job, repeat } from "../../../job.ts";
import { getKeeperSecret } from "../../../keeperSettings.ts";
import { processPendingTransactions } from "../../../relayer/processPendingTransactions.ts";
import { readFeesPerGas } from "../../../relayer/readFeesPerGas.ts";
import { createRelayerKey, type RelayerKey } from "../../../relayer/relayerKey.ts";
import { checkSplitter, getPrice, type KeeperDeps, type Round } from "./checkSplitter.ts";
import { assertNewest, getConfirmingChains } from "./confirmedReads.ts";
import { finishClaims } from "./finishClaims.ts";
import { countFailing, type DueSplitter, readKeeperSpend, takeDueSplitters } from "./keeperQueries.ts";

/** Splitters that one round checks. */
const splittersPerRound = 10;
/** Mined transactions are checked for a reorganisation in every run of this multiple. */
const minedCheckInterval = 20;

/**
 * Starts the keeper of fees: in each interval it collects, settles and releases for the payees who have earned enough. It
 * signs with its own key, calls only functions that anyone may call, and owns nothing but native for gas. Does nothing
 * without a key.
 */
export function payFees(deps: KeeperDeps): Job {
  const { chain, clock, config, db } = deps;
  const secret = getKeeperSecret(config);
  if (secret === null) return { stop: async () => undefined };
  const key = createRelayerKey(secret);
  let roundAt = Number.NEGATIVE_INFINITY;
  let runs = 0;

  const run = async (signal: AbortSignal) => {
    const { manifest, verified } = chain.manifestState();
    if (manifest === null || !verified) return false;
    const sender = { chainId: manifest.chain_id, sender: key.address.toLowerCase() };
    await processPendingTransactions(deps, key, manifest.chain_id, { mined: runs++ % minedCheckInterval === 0 });
    await finishClaims(deps, manifest, sender);
    if (clock.now() - roundAt < config.KEEPER_INTERVAL_MS) return false;
    roundAt = clock.now();
    const spent = await readKeeperSpend(db.api, sender);
    deps.metrics.keeperSpent.set(Number(spent) / Number(config.KEEPER_DAILY_CAP_WEI));
    const round = await startRound(deps, key);
    if (round !== null) await checkDueSplitters(deps, round, signal);
    deps.metrics.keeperFailing.set(await countFailing(db.api));
    return false;
  };
  return repeat(deps, { name: "keeper", pauseMs: config.RELAYER_POLL_MS, run });
}

/**
 * Reads the state of the chain for a round; null if nothing may be sent now.
 *
 * @throws SlipwayError `manifest_unverified` if the endpoint serves another chain, `chain_unavailable`.
 */
async function startRound({ chain, config, log, metrics }: KeeperDeps, key: RelayerKey): Promise<Round | null> {
  const proven = getProvenManifest(chain);
  const { chain_id: chainId } = proven.manifest;
  const multicall3 = getMulticall3(proven.manifest);
  const head = await readHead(chain, chainId);
  const confirming = getConfirmingChains(chain);
  if (confirming !== null) await assertNewest(confirming, chainId, head);
  const [fees, balanceInWei] = await Promise.all([
    readFeesPerGas(chain, chainId, head),
    awaitChain(chain.client.getBalance({ address: key.address })),
  ]);
  metrics.keeperBalance.set(Number(formatEther(balanceInWei)));
  const alarms = {
    balance_low: balanceInWei < config.KEEPER_FLOOR_WEI,
    gas_price: getPrice(fees) > config.KEEPER_MAX_FEE_WEI,
    no_multicall3: multicall3 === null,
  };
  for (const [alarm, isRaised] of Object.entries(alarms)) metrics.keeperAlarm.set({ alarm }, isRaised ? 1 : 0);
  const reasons = Object.entries(alarms).flatMap(([alarm, isRaised]) => (isRaised ? [alarm] : []));
  if (multicall3 === null || reasons.length > 0) {
    log.debug({ reasons }, "keeper sends nothing");
    return null;
  }
  return { key, proven, multicall3, head, fees, balanceInWei };
}

/** Checks the due splitters, one after the other, until the day's cap is used up. */
async function checkDueSplitters(deps: KeeperDeps, round: Round, signal: AbortSignal): Promise<void> {
  const { config, db, metrics } = deps;
  let isCapped = false;
  for (const due of await takeDue(db, config.KEEPER_MIN_PAYOUT_WEI)) {
    if (signal.aborted || isCapped) break;
    const outcome = await checkSplitter(deps, round, due);
    metrics.keeperChecks.inc({ outcome });
    isCapped = outcome === "cap";
  }
  metrics.keeperAlarm.set({ alarm: "cap_used" }, isCapped ? 1 : 0);
}

/** Takes due splitters for this worker; none while another worker takes some. */
async function takeDue(db: KeeperDeps["db"], minFees: bigint): Promise<DueSplitter[]> {
  return await withTransaction(db.api, async (client) =>
    (await tryLockUntilCommit(client, "keeper"))
      ? await takeDueSplitters(client, { minFees, limit: splittersPerRound })
      : [],
  );
}
