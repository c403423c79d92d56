import { afterAll, beforeAll } from "vitest";
import { type OpenGasWorld, startGasWorld } from "./startGasWorld.ts";

/** A gas world for the tests of a file, from before the file's own `beforeAll` until after its `afterAll`. */
export function useGasWorld(...options: Parameters<typeof startGasWorld>): OpenGasWorld {
  let gas: Awaited<ReturnType<typeof startGasWorld>>;
  beforeAll(async () => {
    gas = await startGasWorld(...options);
  });
  afterAll(async () => {
    await gas?.close();
  });
  return {
    get world() {
      return gas.world;
    },
    get server() {
      return gas.server;
    },
    get station() {
      return gas.station;
    },
    newWallet: (tokenUnits) => gas.newWallet(tokenUnits),
    pauseJob: (work) => gas.pauseJob(work),
  };
}
