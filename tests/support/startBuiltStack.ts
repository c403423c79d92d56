import { type Stack, type StartStackParameters, startStack } from "@slipway/dev/startStack";
import { getProgram } from "./getProgram.ts";

/** For tests that need no year of a market's history: `npm start` collects 500 days, which takes seconds of CPU time. */
export const shortHistory = { MARKET_HISTORY_DAYS: "100" };

/** Starts a stack whose programs are one file each, which start with half of the CPU time of their sources. */
export async function startBuiltStack(parameters: StartStackParameters = {}): Promise<Stack> {
  const programs = { server: await getProgram("server"), accounts: await getProgram("accounts") };
  return await startStack({ programs, ...parameters });
}
