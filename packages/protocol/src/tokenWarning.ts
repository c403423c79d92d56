import { z } from "zod";

export const tokenWarning = z.object({ code: z.string(), message: z.string() });

/** The warning about a token's name, for lists without the other warnings. */
export const nameWarning = z
  .string()
  .nullable()
  .describe("The message of the token's warning `confusable_name`; null without that warning.");
