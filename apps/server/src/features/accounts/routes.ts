import {
  account,
  accountChange,
  connections,
  creditLedger,
  handleProvider,
  ledgerQuery,
  linkedWallet,
  removed,
  signedMessage,
} from "@slipway/protocol/accounts";
import { SlipwayError } from "@slipway/protocol/errors";
import { evmAddress } from "@slipway/protocol/primitives";
import { z } from "zod";
import { findAccount, renameAccount } from "../../accounts/accounts.ts";
import { getCreditBalance, listLedger } from "../../accounts/credits.ts";
import { listConnections, listWallets, unlinkConnection, unlinkWallet } from "../../accounts/identities.ts";
import { setPayoutWallet } from "../../accounts/payoutWallet.ts";
import { getActivePlan } from "../../accounts/plans.ts";
import { requireRecentSignIn } from "../../accounts/recentSignIn.ts";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";
import { accountDataRoutes } from "./accountDataRoutes.ts";
import { authRoutes } from "./authRoutes.ts";
import { credentialRoutes } from "./credentialRoutes.ts";
import { proveWallet } from "./proveWallet.ts";
import { toAccount, toConnections } from "./toAccount.ts";

/** Sign-in, the caller's account, and its credentials. */
export function accountsRoutes(deps: Deps): Route[] {
  return [...authRoutes(deps), ...accountRoutes(deps), ...credentialRoutes(deps), ...accountDataRoutes(deps)];
}

/** The caller's account: name, wallets, links, credits. */
function accountRoutes(deps: Deps): Route[] {
  const common = { site: true, tag: "Account", scope: "account" } as const;
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
    guardedRoute({
      ...common,
      method: "GET",
      path: "/api/account",
      name: "getAccount",
      summary: "Get the account with its wallets, links, plan and credits",
      description: "`plan` is null without an active plan.",
      answers: { 200: { description: "The account", schema: account } },
      errors: ["storage_unavailable"],
      handle: async ({ principal }) => await getAccount(principal.accountId),
    }),

    guardedRoute({
      ...common,
      method: "PATCH",
      path: "/api/account",
      name: "renameAccount",
      summary: "Change the account's name or payout wallet",
      description:
        "A name has 1 to 64 characters, none of them a control character. `payout_wallet` is the linked wallet that " +
        "`GET /recipients` answers for the account's proven handles; null publishes none. To change it needs a session " +
        "that signed in within the last 10 minutes; API keys are refused.",
      schemas: { body: accountChange },
      answers: { 200: { description: "The account", schema: account } },
      errors: ["reauthentication_required", "storage_unavailable"],
      handle: async ({ body: { name, payout_wallet }, principal }) => {
        if (payout_wallet !== undefined) {
          requireRecentSignIn(principal, deps.clock.now());
          if (!(await setPayoutWallet(db, principal.accountId, payout_wallet))) {
            throw new SlipwayError("invalid_fields", "payout_wallet must be a wallet that the account has linked.", {
              field: "payout_wallet",
            });
          }
        }
        if (name !== undefined) await renameAccount(db, principal.accountId, name);
        return await getAccount(principal.accountId);
      },
    }),

    guardedRoute({
      ...common,
      method: "POST",
      path: "/api/account/wallets",
      name: "linkWallet",
      recentSignIn: true,
      summary: "Link another wallet by its signed message",
      description:
        "The message is that of a sign-in, with a nonce of its own; see POST /api/auth/siwe/nonce. An account has at most 100.",
      schemas: { body: signedMessage },
      answers: { 200: { description: "The wallet signs in to this account from now on", schema: linkedWallet } },
      errors: [
        "signature_invalid",
        "already_linked",
        "too_many_wallets",
        "manifest_missing",
        "chain_unavailable",
        "provider_unavailable",
        "storage_unavailable",
      ],
      handle: async ({ body, principal, request }) =>
        await proveWallet(deps, principal.accountId, body, request.headers.cookie),
    }),

    guardedRoute({
      ...common,
      method: "DELETE",
      path: "/api/account/wallets/:address",
      name: "unlinkWallet",
      recentSignIn: true,
      summary: "Unlink a wallet, but not the last one",
      description: "Ends the sessions that it opened, this one included, and the API keys that were created in them.",
      schemas: { params: z.object({ address: evmAddress.describe("A wallet of the account.") }) },
      answers: { 200: { description: "It signs in to this account no more", schema: removed } },
      errors: ["not_found", "last_wallet", "storage_unavailable"],
      handle: async ({ params, principal }) => {
        const { outcome } = await unlinkWallet(db, principal.accountId, params.address);
        if (outcome === "unknown") throw new SlipwayError("not_found");
        if (outcome === "last") throw new SlipwayError("last_wallet");
        return { removed: true };
      },
    }),

    guardedRoute({
      method: "GET",
      path: "/connections",
      name: "listConnections",
      tag: "Account",
      summary: "List the account's identities with provider ids and current handles",
      description: "Linked wallets, code host and social network. Handles are those that the provider reported last.",
      answers: { 200: { description: "Wallets, code host and social network", schema: connections } },
      errors: ["storage_unavailable"],
      handle: async ({ principal }) => {
        const { accountId } = principal;
        const [wallets, links] = await Promise.all([listWallets(db, accountId), listConnections(db, accountId)]);
        return { items: toConnections(wallets, links) };
      },
    }),

    guardedRoute({
      ...common,
      method: "DELETE",
      path: "/api/account/connections/:provider",
      name: "unlinkConnection",
      recentSignIn: true,
      summary: "Unlink the code host or the social network",
      description: "Launches that name the handle show it as unverified. Payouts do not change.",
      schemas: { params: z.object({ provider: handleProvider.describe("The provider to unlink.") }) },
      answers: { 200: { description: "Its handle is shown as unverified from now on", schema: removed } },
      errors: ["invalid_request", "not_found", "storage_unavailable"],
      handle: async ({ params, principal }) => {
        if (!(await unlinkConnection(db, principal.accountId, params.provider))) throw new SlipwayError("not_found");
        return { removed: true };
      },
    }),

    guardedRoute({
      ...common,
      method: "GET",
      path: "/api/account/credits",
      name: "listCredits",
      summary: "Get the credit balance and its bookings, newest first",
      description: "`next_before` requests the page of older bookings; null at the end.",
      schemas: { query: ledgerQuery },
      answers: { 200: { description: "The bookings", schema: creditLedger } },
      errors: ["storage_unavailable"],
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
