import { countTokens } from "../features/tokens/queries.ts"; // violation: chain, providers: must not import
import { buildApp } from "../http/app.ts"; // violation: chain, providers: must not import

/** The outside world may be asked here: no violation. */
export const ask = () => fetch("http://127.0.0.1:8545");
export const used = [countTokens, buildApp];
