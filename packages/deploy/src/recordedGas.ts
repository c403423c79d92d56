// Gas used on anvil 1.7.1 (cancun). packages/deploy/test/deployLocal.test.ts fails when a figure is too low.
const figures: Record<string, bigint> = {
  wrapped_native: 840_000n,
  uniswap_factory: 5_450_000n,
  uniswap_position_manager: 5_480_000n,
  uniswap_router: 5_350_000n,
  uniswap_quoter: 1_850_000n,
  launch_factory: 4_500_000n,
  gas_station: 1_700_000n,
  gas_station_float: 60_000n,
};

const unknownStep = 6_000_000n;

/** Gas that a deployment step takes, for a plan whose node cannot estimate it. */
export function recordedGas(step: string): bigint {
  return figures[step] ?? unknownStep;
}
