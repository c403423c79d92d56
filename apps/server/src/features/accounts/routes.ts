import { SlipwayError } from "@slipway/protocol/errors";
import { findAccount, renameAccount } from "../../accounts/accounts.ts";
import { getCreditBalance, listLedger } from "../../accounts/credits.ts";
import { listConnections, listWallets, unlinkConnection, unlinkWallet } from "../../accounts/identities.ts";
import { setPayoutWallet } from "../../accounts/payoutWallet.ts";
import { getActivePlan } from "../../accounts/plans.ts";
import { requireRecentSignIn } from "../../accounts/recentSignIn.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { accountDataRoutes } from "./accountDataRoutes.ts";
import { authRoutes } from "./authRoutes.ts";
import { credentialRoutes } from "./credentialRoutes.ts";
import { proveWallet } from "./proveWallet.ts";
import { toAccount, toConnections } from "./toAccount.ts";

/** Routes for sign-in, the caller's account and its credentials. */
export function accountsRoutes(deps: Deps): Route[] {
  return [...authRoutes(deps), ...accountRoutes(deps), ...credentialRoutes(deps), ...accountDataRoutes(deps)];
}

/** Routes for the caller's account: name, wallets, links, credits. */
function accountRoutes(deps: Deps): Route[] {
  const db = deps.db.api;

  const getAccount = async (accountId: string) => {
    const [found, wallets, links, plan, credits] = await Promise.all([
      findAccount(db, accountId),
      listWallets(db, accountId),
      listConnections(db, accountId),
      getActivePlan(db, accountId),
      getCreditBalance(db, accountId),
    ]);
    if (found === null) throw new SlipwayError("unauthorized");
    return toAccount(found, wallets, links, plan, credits);
  };

  return [
    createRoute("getAccount", {
      handle: async ({ principal }) => await getAccount(principal.accountId),
    }),

    createRoute("renameAccount", {
      handle: async ({ body: { name, payout_wallet }, principal }) => {
        if (payout_wallet !== undefined) {
          requireRecentSignIn(principal, deps.clock.now());
          if (!(await setPayoutWallet(db, principal.accountId, payout_wallet))) {
            throw new SlipwayError("invalid_fields", "payout_wallet must be a linked wallet of the account.", {
              field: "payout_wallet",
            });
          }
        }
        if (name !== undefined) await renameAccount(db, principal.accountId, name);
        return await getAccount(principal.accountId);
      },
    }),

    createRoute("linkWallet", {
      handle: async ({ body, principal, request }) =>
        await proveWallet(deps, principal.accountId, body, request.headers.cookie),
    }),

    createRoute("unlinkWallet", {
      handle: async ({ params, principal }) => {
        const { outcome } = await unlinkWallet(db, principal.accountId, params.address);
        if (outcome === "unknown") throw new SlipwayError("not_found");
        if (outcome === "last") throw new SlipwayError("last_wallet");
        return { removed: true };
      },
    }),

    createRoute("listConnections", {
      handle: async ({ principal }) => {
        const { accountId } = principal;
        const [wallets, links] = await Promise.all([listWallets(db, accountId), listConnections(db, accountId)]);
        return { items: toConnections(wallets, links) };
      },
    }),

    createRoute("unlinkConnection", {
      handle: async ({ params, principal }) => {
        if (!(await unlinkConnection(db, principal.accountId, params.provider))) throw new SlipwayError("not_found");
        return { removed: true };
      },
    }),

    createRoute("listCredits", {
      handle: async ({ query, principal }) => {
        const { accountId } = principal;
        const [balance, rows] = await Promise.all([getCreditBalance(db, accountId), listLedger(db, accountId, query)]);
        return {
          balance,
          items: rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })),
          next_before: rows.length === query.limit ? (rows.at(-1)?.id ?? null) : null,
        };
      },
    }),
  ];
}
