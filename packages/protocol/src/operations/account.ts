import { z } from "zod";
import { accountExport } from "../accountExport.ts";
import {
  account,
  accountChange,
  accountEvents,
  apiKeyList,
  connections,
  createdApiKey,
  creditLedger,
  currentSession,
  endedSessions,
  handleProvider,
  ledgerQuery,
  linkedWallet,
  linkRequest,
  linkStart,
  newApiKey,
  removed,
  sessionList,
  signedIn,
  signedMessage,
  signInNonce,
} from "../accounts.ts";
import { evmAddress } from "../primitives.ts";
import type { OperationDefinition } from "./operationDefinition.ts";

const identityErrors = ["provider_unavailable", "storage_unavailable"] as const;

/** Operations on sign-in and the account of the caller. */
export const accountOperations = {
  createSignInNonce: {
    tag: "Sign in",
    summary: "Get the values of a sign-in message",
    description:
      "For an ERC-4361 message. The nonce is valid for one attempt within 15 minutes, to sign in or to link a " +
      "wallet, in the browser that requested it: the request that uses the nonce must send the cookie of this " +
      "answer.",
    sameOrigin: true,
    answers: { 200: { description: "Nonce, domain, URI and chain", schema: signInNonce, headers: ["Set-Cookie"] } },
    errors: ["manifest_missing", ...identityErrors],
  },

  signIn: {
    tag: "Sign in",
    summary: "Sign in with a wallet's signed message",
    description:
      "Verified by ECDSA, and for contract wallets by ERC-1271 and ERC-6492. The request must send the cookie of " +
      "POST /api/auth/siwe/nonce. The first sign-in of a wallet creates its account. Sets the cookie of a new " +
      "session; the previous session of the browser ends.",
    body: signedMessage,
    sameOrigin: true,
    answers: { 200: { description: "Signed in", schema: signedIn, headers: ["Set-Cookie"] } },
    errors: ["unauthorized", "manifest_missing", "chain_unavailable", ...identityErrors],
  },

  getSession: {
    tag: "Sign in",
    summary: "Get and extend the session of this browser",
    description: "If the session was not extended for half a day, it is extended and the browser gets a new cookie.",
    answers: { 200: { description: "The session", schema: currentSession, headers: ["Set-Cookie"] } },
    errors: ["session_required", ...identityErrors],
  },

  signOut: {
    tag: "Sign in",
    summary: "End the session of this browser",
    description: "The session is refused within a second. Other browsers stay signed in.",
    scope: "account",
    answers: { 200: { description: "Signed out", schema: removed, headers: ["Set-Cookie"] } },
    errors: ["session_required", ...identityErrors],
  },

  startLink: {
    tag: "Sign in",
    summary: "Start linking an account of the code host or the social network",
    description:
      "Send the browser to `url`. The provider returns it to /api/auth/callback/{provider}, which redirects to " +
      "`callback_url`, a path of this site, with `?error=` if nothing was linked. Only the browser and the account that " +
      "started the link can finish it, once.",
    body: linkRequest,
    scope: "account",
    recentSignIn: true,
    answers: { 200: { description: "The URL for the browser", schema: linkStart, headers: ["Set-Cookie"] } },
    errors: identityErrors,
  },

  finishLink: {
    tag: "Sign in",
    summary: "Receive the browser from a provider",
    description:
      "Only browsers call it: a page of this site sends the browser to the provider, and the provider returns it " +
      "here. Valid once, in the browser and for the account that started the link, while the session lasts.",
    params: z.object({ provider: handleProvider.describe("The provider that returns the browser.") }),
    foreignQuery: true,
    answers: {
      302: {
        description:
          "Redirect to the page that started the link; `error` in its query has the reason if nothing was linked",
        headers: ["Location", "Set-Cookie"],
      },
    },
    errors: ["invalid_request", ...identityErrors],
  },

  getAccount: {
    tag: "Account",
    summary: "Get the account with its wallets, links, plan and credits",
    description: "`plan` is null without an active plan.",
    scope: "account",
    answers: { 200: { description: "The account", schema: account } },
    errors: ["storage_unavailable"],
  },

  renameAccount: {
    tag: "Account",
    summary: "Change the account's name or payout wallet",
    description:
      "A name has 1 to 64 characters and no control characters. `payout_wallet` is the linked wallet that `GET " +
      "/recipients` returns for the verified handles of the account; null removes it. Changing it needs a session " +
      "that signed in within the last 10 minutes; API keys are refused.",
    body: accountChange,
    scope: "account",
    answers: { 200: { description: "The account", schema: account } },
    errors: ["reauthentication_required", "storage_unavailable"],
  },

  linkWallet: {
    tag: "Account",
    summary: "Link another wallet with its signed message",
    description:
      "The message has the format of a sign-in message, with its own nonce from POST /api/auth/siwe/nonce. An " +
      "account can have at most 100 wallets.",
    body: signedMessage,
    scope: "account",
    recentSignIn: true,
    answers: { 200: { description: "The wallet can sign in to this account", schema: linkedWallet } },
    errors: [
      "signature_invalid",
      "already_linked",
      "too_many_wallets",
      "manifest_missing",
      "chain_unavailable",
      "provider_unavailable",
      "storage_unavailable",
    ],
  },

  unlinkWallet: {
    tag: "Account",
    summary: "Unlink a wallet, except the last one",
    description:
      "Ends the sessions that the wallet opened, including the current one, and revokes the API keys that were " +
      "created in them.",
    params: z.object({ address: evmAddress.describe("A wallet of the account.") }),
    scope: "account",
    recentSignIn: true,
    answers: { 200: { description: "The wallet can no longer sign in to this account", schema: removed } },
    errors: ["not_found", "last_wallet", "storage_unavailable"],
  },

  listConnections: {
    tag: "Account",
    summary: "List the account's linked wallets and handles",
    description:
      "Linked wallets and accounts of the code host and the social network, with their ids. Handles are the ones " +
      "that the provider reported last.",
    answers: { 200: { description: "The linked wallets and handles", schema: connections } },
    errors: ["storage_unavailable"],
  },

  unlinkConnection: {
    tag: "Account",
    summary: "Unlink the code host or the social network",
    description: "Launches that name the handle show it as unverified. Payouts do not change.",
    params: z.object({ provider: handleProvider.describe("The provider to unlink.") }),
    scope: "account",
    recentSignIn: true,
    answers: { 200: { description: "Unlinked", schema: removed } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  listCredits: {
    tag: "Account",
    summary: "Get the credit balance and its transactions, newest first",
    description: "Pass `next_before` as `before` to get the next page; it is null on the last page.",
    query: ledgerQuery,
    scope: "account",
    answers: { 200: { description: "The transactions", schema: creditLedger } },
    errors: ["storage_unavailable"],
  },

  createApiKey: {
    tag: "Account",
    summary: "Create an API key",
    description:
      "Only this answer contains the key; the service stores its SHA-256. `scopes` can have at most the scopes of " +
      "the session; the default is `read`, `write` and `transactions`. An account can have at most 100 keys. A key " +
      "cannot create keys.",
    body: newApiKey,
    scope: "account",
    recentSignIn: true,
    answers: { 201: { description: "The key", schema: createdApiKey } },
    errors: ["too_many_keys", "storage_unavailable"],
  },

  listApiKeys: {
    tag: "Account",
    summary: "List the active API keys, newest first",
    description: "The keys themselves are not included; `prefix` has the first characters of each key.",
    scope: "account",
    answers: { 200: { description: "The keys, without their secrets", schema: apiKeyList } },
    errors: ["storage_unavailable"],
  },

  revokeApiKey: {
    tag: "Account",
    summary: "Revoke an API key",
    description: "The key is refused within a second, and its WebSockets are closed. A revoked key cannot be restored.",
    params: z.object({ id: z.uuid().describe("The id of one of the account's keys.") }),
    scope: "account",
    answers: { 200: { description: "Revoked", schema: removed } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  listSessions: {
    tag: "Account",
    summary: "List the signed-in browsers",
    description: "`current` marks the session of this request; `address` and `user_agent` are from the sign-in.",
    scope: "account",
    answers: { 200: { description: "The sessions", schema: sessionList } },
    errors: ["storage_unavailable"],
  },

  endSessions: {
    tag: "Account",
    summary: "Sign out everywhere",
    description:
      "All sessions, including the current one, are refused within a second; pending sign-ins and links end. API " +
      "keys stay valid.",
    scope: "account",
    recentSignIn: true,
    answers: { 200: { description: "The number of ended sessions", schema: endedSessions } },
    errors: ["storage_unavailable"],
  },

  endSession: {
    tag: "Account",
    summary: "Sign out one browser",
    description: "The session is refused within a second.",
    params: z.object({ id: z.uuid().describe("The id of one of the account's sessions.") }),
    scope: "account",
    recentSignIn: true,
    answers: { 200: { description: "Signed out", schema: removed } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  listAccountEvents: {
    tag: "Account",
    summary: "List the events of the account, newest first",
    description:
      "Changes of keys, links, payout wallet, sessions and plan, and exports. `details` has the ids and names of " +
      "the changed items.",
    query: ledgerQuery,
    scope: "account",
    answers: { 200: { description: "The events", schema: accountEvents } },
    errors: ["storage_unavailable"],
  },

  exportAccount: {
    tag: "Account",
    summary: "Export all stored data of the account",
    description:
      "Lists with more than 10,000 entries have the latest entries; credits and events continue in their own pages. " +
      "Keys are stored as hashes and are left out. The export is recorded as an event of the account. The answer is " +
      "streamed: one that ends early is not valid JSON. Each process sends one export of an account at a time.",
    scope: "account",
    answers: { 200: { description: "The account", schema: accountExport, headers: ["Content-Disposition"] } },
    errors: ["storage_unavailable"],
  },

  deleteAccount: {
    tag: "Account",
    summary: "Delete the account permanently",
    description:
      "Deletes the drafts and their labels, sessions, keys, wallets, links, plans and events; the credentials are " +
      "refused within a second. Credit transactions stay without a link to a person, and remaining credits are " +
      "lost. Data on the chain stays.",
    scope: "account",
    recentSignIn: true,
    answers: { 200: { description: "Deleted", schema: removed } },
    errors: ["storage_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
