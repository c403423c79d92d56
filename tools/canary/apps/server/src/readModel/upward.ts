import { buildApp } from "../http/app.ts"; // violation: readModel: of http
import { countTokens } from "../features/tokens/queries.ts"; // violation: readModel: must not import

export const used = [buildApp, countTokens];
