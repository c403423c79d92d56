import type { LaunchDeployment } from "./manifest.ts";

/** The fee tier of a draft that names none, in basis points. */
export const defaultFeeBps = 100;

/** The protocol's share in basis points of the volume, the same at every tier. Source: FeePolicy.PROTOCOL_FEE_BPS. */
export const protocolFeeBps = 10;

/** The fee tiers of launches in basis points, the default first. Source: FeePolicy.isTier. */
export const feeTiersBps = [defaultFeeBps, 50, 30, protocolFeeBps] as const;

/**
 * Every tick of a launch's position is a multiple of this number, the least common multiple of the tick spacings of the
 * tiers. A tier launches if its spacing divides it. Source: StartPrice.TICK_MULTIPLE.
 */
export const launchTickMultiple = 600;

/** A tier at which tokens launch: the fee of the pool in basis points, and the tick spacing of its pools. */
export type LaunchTier = { feeBps: number; tickSpacing: number };

/** Converts a tier to Uniswap's unit, hundredths of a basis point. */
export const toPoolFee = (feeBps: number): number => feeBps * 100;

/** Whether tokens can launch in pools with a tick spacing; null or zero is the spacing of a tier that does not exist. */
export const isLaunchSpacing = (tickSpacing: number | null): tickSpacing is number =>
  tickSpacing !== null && tickSpacing !== 0 && launchTickMultiple % tickSpacing === 0;

/** Finds a tier of a deployment at which tokens launch; null for another tier. */
export function findLaunchTier(
  { fee_policy }: Pick<LaunchDeployment, "fee_policy">,
  feeBps: number = defaultFeeBps,
): LaunchTier | null {
  const tier = fee_policy.tiers.find(({ fee_bps }) => fee_bps === feeBps);
  return tier?.launchable && tier.tick_spacing !== null ? { feeBps, tickSpacing: tier.tick_spacing } : null;
}

/** Lists the tiers of a deployment at which tokens launch, in basis points. */
export const listLaunchTiers = ({ fee_policy }: Pick<LaunchDeployment, "fee_policy">): number[] =>
  fee_policy.tiers.filter(({ launchable }) => launchable).map(({ fee_bps }) => fee_bps);
