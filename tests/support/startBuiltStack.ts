import { type Stack, type StartStackParameters, startStack } from "@slipway/dev/startStack";
import { getProgram } from "./getProgram.ts";

/** Starts a stack whose server is one file, which starts with half of the CPU time of its sources. */
export const startBuiltStack = async (parameters: StartStackParameters = {}): Promise<Stack> =>
  await startStack({ serverProgram: await getProgram("server"), ...parameters });
