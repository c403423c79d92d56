import { z } from "zod";
import { launchTypedData } from "./launchSignature.ts";
import { evmAddress } from "./primitives.ts";
import { launchRequest, unsignedCallsFields, unsignedResult } from "./transaction.ts";

/** Validity of an authorization that is given to sign, in seconds of block time: the owners of a wallet take turns. */
export const authorizationValiditySeconds = 86_400n;

/** The longest signature of a contract wallet, in bytes: about 60 owners' ECDSA signatures. */
const maxSignatureBytes = 4_096;

/** A creator's signature: 65 bytes of its key, or what its code accepts (ERC-1271), which may be empty. */
const creatorSignature = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/, "must be 0x followed by whole bytes in hex")
  .max(2 + 2 * maxSignatureBytes, `must have at most ${maxSignatureBytes} bytes`);

/** A LaunchRequest whose splitter may be part of the batch, and whose creator may have signed. */
export const launchCallsRequest = launchRequest
  .extend({
    splitter: evmAddress
      .nullable()
      .optional()
      .describe("A deployed splitter of the draft; null creates it with the splitter factory in the same batch."),
    authorization: z
      .strictObject({ deadline: z.int().positive(), signature: creatorSignature })
      .nullable()
      .optional()
      .describe(
        "The signed `typed_data` of an earlier answer: its `deadline` (Unix seconds) and the creator's signature.",
      ),
  })
  .meta({
    id: "LaunchCallsRequest",
    description:
      "A LaunchRequest whose batch can create the splitter, and that the creator can authorize by a " + "signature.",
  });

export type LaunchCallsRequest = z.infer<typeof launchCallsRequest>;

/** An UnsignedResult with the batch, or with what the creator has to sign before there is one. */
export const launchCallsResult = unsignedResult
  .extend({
    ...unsignedCallsFields,
    status: z.enum(["ready", "signature_required"]),
    typed_data: launchTypedData.nullable(),
  })
  .meta({
    id: "LaunchCallsResult",
    description:
      "An UnsignedResult with the batch. With `signature_required` there is none yet: the creator signs `typed_data`.",
  });

export type LaunchCallsResult = z.infer<typeof launchCallsResult>;
