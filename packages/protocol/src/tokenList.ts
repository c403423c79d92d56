import { z } from "zod";
import { addressOut, dateTime } from "./primitives.ts";

/** The maximum number of tokens of a list, with the wrapped native. Source: the schema of Uniswap Token Lists. */
export const maxListedTokens = 10_000;

const listedToken = z.object({
  chainId: z.int().positive(),
  address: addressOut,
  decimals: z.int().min(0).max(255),
  name: z.string(),
  symbol: z.string(),
  logoURI: z.url().optional().describe("The processed image at 256 pixels, served by this service."),
});
export type ListedToken = z.infer<typeof listedToken>;

export const tokenListVersion = z.object({ major: z.int(), minor: z.int(), patch: z.int() });
export type TokenListVersion = z.infer<typeof tokenListVersion>;

/**
 * A token's ERC-7572 document; its publisher chooses the other fields. Source: https://eips.ethereum.org/EIPS/eip-7572
 */
export const contractDocument = z
  .looseObject({ name: z.string().optional() })
  .meta({ id: "ContractDocument", description: "A token's ERC-7572 document, byte for byte as stored on the chain." });

/** A Uniswap Token List of launched tokens. Source: https://github.com/Uniswap/token-lists */
export const tokenList = z
  .object({
    name: z.string(),
    timestamp: dateTime.describe("The time of this version."),
    version: tokenListVersion.describe(
      "`major` grows if a token is removed, otherwise `minor` if one is added, otherwise `patch` if one " + "changes.",
    ),
    tokens: z
      .array(listedToken)
      .min(1)
      .max(maxListedTokens)
      .describe("The wrapped native token, then launches, oldest first."),
  })
  .meta({ id: "TokenList", description: "Launched tokens as a Uniswap Token List." });
export type TokenList = z.infer<typeof tokenList>;
