import type { Manifest } from "@slipway/protocol/manifest";
import { type Hex, hexToBigInt } from "viem";
import { z } from "zod";
import type { Sender } from "../../../relayer/relayerTransactions.ts";
import type { KeeperDeps } from "./checkSplitter.ts";
import { type EndpointChain, getConfirmingChains } from "./confirmedReads.ts";
import {
  type ClaimEnd,
  delaySplitter,
  type EndedClaim,
  endClaim,
  endFailures,
  listEndedClaims,
} from "./keeperQueries.ts";
import { listPayments } from "./planKeeperClaim.ts";
import { finalBlocks } from "./readEarnings.ts";

const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value));
const quantity = hex.transform((value) => hexToBigInt(value));
const receiptParts = z
  .object({
    blockNumber: quantity,
    blockHash: hex,
    status: quantity,
    gasUsed: quantity,
    effectiveGasPrice: quantity,
    logs: z.array(z.object({ address: hex, topics: z.array(hex), data: hex })),
  })
  .nullable();
const blockParts = z.object({ number: quantity });
const hashParts = z.object({ hash: hex }).nullable();

/**
 * Ends the claims that are final: with the cost and the payments of the receipt on which two endpoints agree. Until then a
 * claim counts with its highest possible cost, so that one endpoint cannot make room under the day's cap.
 */
export async function finishClaims(deps: KeeperDeps, manifest: Manifest, sender: Sender): Promise<void> {
  const { chain, db, log, metrics } = deps;
  const claims = await listEndedClaims(db.api, sender);
  if (claims.length === 0) return;
  const confirming = getConfirmingChains(chain);
  if (confirming === null) return;
  for (const claim of claims) {
    const end = await readEnd(confirming, manifest, claim).catch((error: unknown) => {
      log.debug({ err: error, claim: claim.id }, "claim not confirmed");
      return null;
    });
    if (end === null || !(await endClaim(db.api, claim.id, end))) continue;
    metrics.keeperClaims.inc({ outcome: end.outcome });
    const fields = { splitter: claim.splitter, hash: end.hash, cost: end.cost?.toString(), paid: end.paid?.toString() };
    log.info(fields, `claim ${end.outcome}`);
    // Another account was faster, or the claim reverted: such a splitter must not use up the gas of others.
    if ((end.paid ?? 0n) >= claim.worth / 2n) await endFailures(db.api, claim.splitter);
    else await delaySplitter(db.api, claim.splitter, "the last claim paid less than half of what was planned");
  }
}

/** Reads the end of a claim; null while it is not final, or the endpoints differ. */
async function readEnd(
  confirming: readonly EndpointChain[],
  { wrapped_native }: Manifest,
  claim: EndedClaim,
): Promise<ClaimEnd | null> {
  const { minedHash, splitter } = claim;
  // The highest cost stays counted, because one endpoint can hide a receipt.
  if (minedHash === null) return { outcome: "lost", cost: null, paid: null, hash: null, blockNumber: null };
  const ends = await Promise.all(
    confirming.map(async ({ request }): Promise<(ClaimEnd & { blockHash: Hex }) | null> => {
      const receipt = receiptParts.parse(await request({ method: "eth_getTransactionReceipt", params: [minedHash] }));
      if (receipt === null) return null;
      const at = `0x${receipt.blockNumber.toString(16)}`;
      const [newest, canonical] = await Promise.all([
        request({ method: "eth_getBlockByNumber", params: ["latest", false] }),
        request({ method: "eth_getBlockByNumber", params: [at, false] }),
      ]);
      const isFinal = blockParts.parse(newest).number >= receipt.blockNumber + finalBlocks;
      if (!isFinal || hashParts.parse(canonical)?.hash !== receipt.blockHash) return null;
      const payments = listPayments(receipt.logs, splitter, wrapped_native.address as Hex);
      const isPaid = receipt.status === 1n && !claim.cancelled;
      return {
        outcome: isPaid ? "paid" : "failed",
        cost: receipt.gasUsed * receipt.effectiveGasPrice,
        paid: payments.reduce((sum, { amount }) => sum + amount, 0n),
        hash: minedHash,
        blockNumber: receipt.blockNumber,
        blockHash: receipt.blockHash,
      };
    }),
  );
  const [first, ...others] = ends;
  if (!first) return null;
  const isSame = others.every(
    (end) =>
      end?.outcome === first.outcome &&
      end.cost === first.cost &&
      end.paid === first.paid &&
      end.blockHash === first.blockHash,
  );
  return isSame ? first : null;
}
