import type { Deps } from "../../deps.ts";
import type { Route } from "../../route.ts";
import { accountRoutes } from "./accountRoutes.ts";
import { authRoutes } from "./authRoutes.ts";
import { credentialRoutes } from "./credentialRoutes.ts";

/** Signing in, and what belongs to an account. */
export function accountsRoutes(deps: Deps): Route[] {
  return [...authRoutes(deps), ...accountRoutes(deps), ...credentialRoutes(deps)];
}
