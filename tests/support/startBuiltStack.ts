import { type Stack, type StartStackParameters, startStack } from "@slipway/dev/startStack";
import { getProgram } from "./getProgram.ts";

/** For tests that need no year of a market's history: `npm start` collects 500 days, which takes seconds of CPU time. */
export const shortHistory = { MARKET_HISTORY_DAYS: "100" };

/** Starts a stack whose server is one file, which starts with half of the CPU time of its sources. */
export const startBuiltStack = async (parameters: StartStackParameters = {}): Promise<Stack> =>
  await startStack({ serverProgram: await getProgram("server"), ...parameters });
