import { expect, test, vi } from "vitest";
import { pinnedState } from "../../../../tests/support/server/readApp.ts";
import { testManifest } from "../../../../tests/support/server/testManifest.ts";
import { parseConfig } from "../config.ts";
import { createMetrics } from "../metrics.ts";
import { createStationMonitor } from "./stationStatus.ts";

test("logs each reason why a station accepts no top-ups once, and nothing without a relayer", async () => {
  const warn = vi.fn();
  let now = 0;
  let manifest = pinnedState(testManifest);
  const runtime = {
    config: parseConfig({ DATABASE_URL: "postgres://unused", RPC_URL: "http://127.0.0.1:1" }),
    clock: { now: () => (now += 10_000) },
    chain: { manifestState: () => manifest },
    log: { warn },
    metrics: createMetrics(),
  } as unknown as Parameters<typeof createStationMonitor>[0];
  const relayer = { address: testManifest.treasury } as Parameters<typeof createStationMonitor>[1];

  await createStationMonitor(runtime, null).read();
  expect(warn.mock.calls).toEqual([]);

  const monitor = createStationMonitor(runtime, relayer);
  for (let n = 0; n < 3; n++) await monitor.read();
  const { treasury } = testManifest;
  const station = { ...testManifest.current.launch_factory, owner: treasury, relayer: treasury };
  manifest = pinnedState({ ...testManifest, gas_station: station, gas_station_tokens: [] });
  for (let n = 0; n < 3; n++) await monitor.read();
  expect(warn.mock.calls).toEqual([
    [{ reason: "The manifest names no gas station." }, "gas station unavailable"],
    [{ reason: "The manifest names no token that the station accepts." }, "gas station unavailable"],
  ]);
});
