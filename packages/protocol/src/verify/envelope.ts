import type { AssetChange, UnsignedResult } from "../transaction.ts";
import { type Check, checkAddress, checkEqual, isSame } from "./check.ts";

/** The caller's own values, which the result must have. Times in Unix seconds. */
export type Envelope = { wallet: string; chainId: number; manifestSha256: string; now: number };

/** The used part of every result. */
export type PreparedEnvelope = Pick<
  UnsignedResult,
  "action" | "manifest" | "expires_at" | "transaction" | "simulation"
>;

/** The longest validity of a result, in seconds: 60 of block time, and what clocks differ. */
const maxValiditySeconds = 600;
/** The bounds of a transaction's gas: its fixed part, and the maximum of EIP-7825. */
const gasBounds = { minimum: 21_000n, maximum: 16_777_216n };

/** Compares the parts that all results have: account, chain, manifest, expiry, gas, and a simulation that succeeded. */
export function checkEnvelope(result: PreparedEnvelope, actions: readonly string[], envelope: Envelope): Check[] {
  const { action, manifest, expires_at: expiresAt, transaction, simulation } = result;
  const { wallet, chainId, manifestSha256, now } = envelope;
  const shared = [
    checkEqual("manifest", manifest.sha256.toLowerCase(), manifestSha256.toLowerCase()),
    checkEqual("manifest_chain", manifest.chain_id, chainId),
    { name: "action", ok: actions.includes(action), seen: action, expected: actions.join(" or ") },
    {
      name: "expires_at",
      ok: expiresAt > now && expiresAt <= now + maxValiditySeconds,
      seen: String(expiresAt),
      expected: `after ${Math.floor(now)}, within ${maxValiditySeconds} seconds`,
    },
    checkEqual("simulation", simulation.ok, true),
  ];
  if (transaction === null) return shared;
  const gas = BigInt(transaction.gas);
  return [
    ...shared,
    checkEqual("chain", Number(transaction.chainId), chainId),
    checkAddress("from", transaction.from, wallet),
    {
      name: "gas",
      ok: gas >= gasBounds.minimum && gas <= gasBounds.maximum,
      seen: gas.toString(),
      expected: `${gasBounds.minimum} to ${gasBounds.maximum}`,
    },
  ];
}

/** The allowed transfers of a result: at most these amounts from the wallet, and at least `minimum` to a receiver. */
export type AllowedChanges = {
  wallet: string;
  /** The maximum by asset; the zero address is native. */
  spends: readonly { asset: string; maximum: bigint }[];
  receives?: { asset: string; to: string; minimum: bigint } | null;
};

/**
 * Compares the transfers of the simulation with what the calls allow. The list is empty if the service's node does not
 * report transfers.
 */
export function checkAssetChanges(changes: readonly AssetChange[], allowed: AllowedChanges): Check {
  const { wallet, spends, receives = null } = allowed;
  const sum = (moved: readonly AssetChange[]) => moved.reduce((total, { amount }) => total + BigInt(amount), 0n);
  const spent = changes.filter(({ from, to }) => isSame(from, wallet) && !isSame(to, wallet));
  const isAllowed = spent.every(({ asset }) => {
    const limit = spends.find((each) => isSame(each.asset, asset));
    return limit !== undefined && sum(spent.filter((each) => isSame(each.asset, asset))) <= limit.maximum;
  });
  const received = changes.filter(({ asset, to }) => isSame(asset, receives?.asset) && isSame(to, receives?.to));
  const isReceived = receives === null || changes.length === 0 || sum(received) >= receives.minimum;
  const limits = spends.map(({ asset, maximum }) => `${maximum} of ${asset}`);
  return {
    name: "asset_changes",
    ok: isAllowed && isReceived,
    seen: [...spent, ...received]
      .map(({ asset, from, to, amount }) => `${amount} of ${asset} ${from} > ${to}`)
      .join(", "),
    expected: [
      `from ${wallet} at most ${limits.join(", ") || "nothing"}`,
      ...(receives === null ? [] : [`to ${receives.to} at least ${receives.minimum} of ${receives.asset}`]),
    ].join("; "),
  };
}
