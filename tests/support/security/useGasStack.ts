import { afterAll, beforeAll } from "vitest";
import { type OpenGasStack, startGasStack } from "./startGasStack.ts";

/** Opens a gas stack for the tests of a file, before the file's own `beforeAll` until after its `afterAll`. */
export function useGasStack(...options: Parameters<typeof startGasStack>): OpenGasStack {
  let gas: Awaited<ReturnType<typeof startGasStack>>;
  beforeAll(async () => {
    gas = await startGasStack(...options);
  });
  afterAll(async () => {
    await gas?.close();
  });
  return {
    get stack() {
      return gas.stack;
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
