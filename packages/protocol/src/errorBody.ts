import { z } from "zod";
import { type ErrorCode, errorTable } from "./errors.ts";

const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

/** The body of every error response. */
export const errorBody = z
  .object({
    error: z.object({
      code: z.enum(errorCodes),
      message: z.string(),
      request_id: z.string(),
      retryable: z.boolean(),
      field: z.string().optional(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  })
  .meta({
    id: "Error",
    description: "The body of every error: a stable code, a message for people, and the id of the request.",
  });

export type ErrorBody = z.infer<typeof errorBody>;
