import { countTokens } from "../features/tokens/queries.ts"; // violation: indexer: must not import
import { buildApp } from "../http/app.ts"; // violation: indexer: must not import

export const at = () => Date.now(); // violation: Time, ids and randomness
export const used = [countTokens, buildApp];
