import { z } from "zod";
import { addressOut, bytes32 } from "./primitives.ts";

/** A splitter that was created for a draft. */
const draftSplitter = z.object({
  address: addressOut,
  tx_hash: bytes32,
  wallet: addressOut.describe("The wallet that created the splitter."),
  method: z.enum(["creation", "factory"]),
  block_number: z.int(),
});

/** A launch of a draft. */
const draftLaunch = z.object({
  token: addressOut,
  tx_hash: bytes32,
  wallet: addressOut.describe("The creator."),
  splitter: addressOut,
  salt: bytes32,
  block_number: z.int(),
});

/** The splitters and launches of a draft on the chain, oldest first. */
export const launchProgress = z
  .object({ splitters: z.array(draftSplitter), launches: z.array(draftLaunch) })
  .meta({ id: "LaunchProgress", description: "The splitters and launches of a draft on the chain, oldest first." });

export type LaunchProgress = z.infer<typeof launchProgress>;
