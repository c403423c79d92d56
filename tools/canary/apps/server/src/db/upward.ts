import { createChain } from "../chain/createChain.ts"; // violation: db: must not import
import { countTokens } from "../features/tokens/queries.ts"; // violation: db: must not import

export const used = [createChain, countTokens];
