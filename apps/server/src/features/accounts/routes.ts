import {
  account,
  accountChange,
  accountEvents,
  connections,
  creditLedger,
  handleProvider,
  ledgerQuery,
  linkedWallet,
  removed,
  signedMessage,
} from "@slipway/protocol/accounts";
import { accountExport } from "@slipway/protocol/accountExport";
import { SlipwayError } from "@slipway/protocol/errors";
import { evmAddress } from "@slipway/protocol/primitives";
import { z } from "zod";
import { listAccountEvents } from "../../accounts/accountEvents.ts";
import { deleteAccount } from "../../accounts/deleteAccount.ts";
import { exportAccount } from "../../accounts/exportAccount.ts";
import { findAccount, renameAccount } from "../../accounts/accounts.ts";
import { getCreditBalance, listLedger } from "../../accounts/credits.ts";
import { listConnections, listWallets, unlinkConnection, unlinkWallet } from "../../accounts/identities.ts";
import { getActivePlan } from "../../accounts/plans.ts";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";
import { authRoutes } from "./authRoutes.ts";
import { credentialRoutes } from "./credentialRoutes.ts";
import { proveWallet } from "./proveWallet.ts";
import { toAccount, toConnections } from "./toAccount.ts";

/** Sign-in, the caller's account, and its credentials. */
export function accountsRoutes(deps: Deps): Route[] {
  return [...authRoutes(deps), ...accountRoutes(deps), ...credentialRoutes(deps)];
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
      answers: { 200: { description: "The account", schema: account } },
      errors: ["storage_unavailable"],
      handle: async ({ principal }) => await getAccount(principal.accountId),
    }),

    guardedRoute({
      ...common,
      method: "DELETE",
      path: "/api/account",
      name: "deleteAccount",
      recentSignIn: true,
      summary: "Delete the account for good",
      description:
        "Needs a session that signed in within the last 10 minutes. Drafts and their labels, sessions, keys, wallets, links, " +
        "plans and events are deleted, and its credentials are refused within a second. Bookings of credits stay without a " +
        "person; credits that are left lapse. What is on the chain stays.",
      answers: { 200: { description: "Deleted", schema: removed } },
      errors: ["storage_unavailable"],
      handle: async ({ principal, request }) => {
        if (!(await deleteAccount(db, principal.accountId))) throw new SlipwayError("unauthorized");
        request.log.info({ accountId: principal.accountId }, "account deleted");
        return { removed: true };
      },
    }),

    guardedRoute({
      ...common,
      method: "GET",
      path: "/api/account/export",
      name: "exportAccount",
      summary: "Export everything that the service stores of the account",
      description:
        "Lists of more than 10,000 entries hold the latest; credits and events continue in their own pages. Keys are " +
        "stored as hashes only, which are left out. The export is an event of the account.",
      answers: { 200: { description: "The account", schema: accountExport } },
      errors: ["storage_unavailable"],
      handle: async ({ principal, reply }) => {
        const exported = await exportAccount(db, principal.accountId);
        if (exported === null) throw new SlipwayError("unauthorized");
        reply.header("content-disposition", 'attachment; filename="slipway-account.json"');
        return exported;
      },
    }),

    guardedRoute({
      ...common,
      method: "PATCH",
      path: "/api/account",
      name: "renameAccount",
      summary: "Name the account",
      schemas: { body: accountChange },
      answers: { 200: { description: "The account", schema: account } },
      errors: ["storage_unavailable"],
      handle: async ({ body, principal }) => {
        await renameAccount(db, principal.accountId, body.name);
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
      description: "The message is that of a sign-in, with a nonce of its own; see POST /api/auth/siwe/nonce.",
      schemas: { body: signedMessage },
      answers: { 200: { description: "The wallet signs in to this account from now on", schema: linkedWallet } },
      errors: [
        "signature_invalid",
        "already_linked",
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
      schemas: { params: z.object({ address: evmAddress }) },
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
      schemas: { params: z.object({ provider: handleProvider }) },
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

    guardedRoute({
      ...common,
      method: "GET",
      path: "/api/account/events",
      name: "listAccountEvents",
      summary: "List what happened to the account, newest first",
      description: "Keys, links, sessions, plan and exports. `details` has ids and names of what changed.",
      schemas: { query: ledgerQuery },
      answers: { 200: { description: "The events", schema: accountEvents } },
      errors: ["storage_unavailable"],
      handle: async ({ query, principal }) => {
        const rows = await listAccountEvents(db, principal.accountId, query);
        return {
          items: rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })),
          next_before: rows.length === query.limit ? (rows.at(-1)?.id ?? null) : null,
        };
      },
    }),
  ];
}
