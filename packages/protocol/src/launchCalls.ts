import { z } from "zod";
import { launchTypedData } from "./launchSignature.ts";
import { evmAddress } from "./primitives.ts";
import { launchRequest, unsignedCallsFields, unsignedResult } from "./transaction.ts";

/** The maximum length of a contract wallet's signature in bytes: about 60 ECDSA signatures of owners. */
const maxSignatureBytes = 4_096;

/** A creator's signature: 65 bytes by its key, or any bytes that its code accepts (ERC-1271), also none. */
export const creatorSignature = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/, "must be 0x followed by whole bytes in hex")
  .max(2 + 2 * maxSignatureBytes, `must have at most ${maxSignatureBytes} bytes`);

/** A LaunchRequest whose batch may create the splitter, and which may contain the creator's signature. */
export const launchCallsRequest = launchRequest
  .extend({
    splitter: evmAddress
      .nullable()
      .optional()
      .describe("A deployed splitter of the draft; null creates it with the splitter factory in the same batch."),
    authorization: z
      .strictObject({ deadline: z.int().positive(), signature: creatorSignature, epoch: z.int().min(0).optional() })
      .nullable()
      .optional()
      .describe(
        "The signed `typed_data` of an earlier answer: its `deadline` (Unix seconds), the creator's signature, and " +
          "its `epoch`. With an `epoch`, a signature that the creator has cancelled is refused as " +
          "`authorization_cancelled`, and without it as `signature_invalid`.",
      ),
  })
  .meta({
    id: "LaunchCallsRequest",
    description:
      "A LaunchRequest whose batch can create the splitter, and that the creator can authorize by a " + "signature.",
  });

export type LaunchCallsRequest = z.infer<typeof launchCallsRequest>;

export const launchCancellationRequest = z.strictObject({ wallet: evmAddress }).meta({
  id: "LaunchCancellationRequest",
  description: "The wallet that cancels every launch that it has signed and that did not happen yet.",
});

/** An UnsignedResult with the batch, or with the typed data that the creator must sign first. */
export const launchCallsResult = unsignedResult
  .extend({
    ...unsignedCallsFields,
    status: z.enum(["ready", "signature_required"]),
    typed_data: launchTypedData.nullable(),
  })
  .meta({
    id: "LaunchCallsResult",
    description:
      "An UnsignedResult with the batch. With `signature_required` there is no batch yet: sign `typed_data`.",
  });

export type LaunchCallsResult = z.infer<typeof launchCallsResult>;
