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
    summary: "Get what a sign-in message must hold",
    description:
      "ERC-4361. The nonce is good for one attempt within 15 minutes, to sign in or to link a wallet, by the browser that " +
      "asked for it: the request that uses it must come with the cookie that this answer sets.",
    sameOrigin: true,
    answers: { 200: { description: "Nonce, domain, URI and chain", schema: signInNonce, headers: ["Set-Cookie"] } },
    errors: ["manifest_missing", ...identityErrors],
  },

  signIn: {
    tag: "Sign in",
    summary: "Sign in with a wallet's signed message",
    description:
      "Verified by ECDSA, for contract wallets by ERC-1271 and ERC-6492. The request must come with the cookie that " +
      "POST /api/auth/siwe/nonce set. The first sign-in of a wallet creates its account. Sets the session cookie: a new " +
      "session each time; the one that the request came with ends.",
    body: signedMessage,
    sameOrigin: true,
    answers: { 200: { description: "Signed in", schema: signedIn, headers: ["Set-Cookie"] } },
    errors: ["unauthorized", "manifest_missing", "chain_unavailable", ...identityErrors],
  },

  getSession: {
    tag: "Sign in",
    summary: "Get this browser's session, and prolong it",
    description: "A session that was not prolonged for half a day gets a later end, and the browser a new cookie.",
    answers: { 200: { description: "The session", schema: currentSession, headers: ["Set-Cookie"] } },
    errors: ["session_required", ...identityErrors],
  },

  signOut: {
    tag: "Sign in",
    summary: "End this browser's session",
    description: "The session is refused within a second. Other browsers stay signed in.",
    scope: "account",
    answers: { 200: { description: "Signed out", schema: removed, headers: ["Set-Cookie"] } },
    errors: ["session_required", ...identityErrors],
  },

  startLink: {
    tag: "Sign in",
    summary: "Begin linking an identity at the code host or the social network",
    description:
      "Send the browser to `url`. It comes back to /api/auth/callback/{provider} and from there to `callback_url`, a " +
      "path of this site; with `?error=` when nothing was linked.",
    body: linkRequest,
    scope: "account",
    recentSignIn: true,
    answers: { 200: { description: "Where to send the browser", schema: linkStart, headers: ["Set-Cookie"] } },
    errors: identityErrors,
  },

  finishLink: {
    tag: "Sign in",
    summary: "Where the provider sends the browser back",
    description:
      "A page of this site sends the browser to the provider, and the provider sends it here. No program calls it. Good " +
      "once, in the browser that began while its session lasts, and for the account that began.",
    params: z.object({ provider: handleProvider.describe("The provider that the browser comes from.") }),
    foreignQuery: true,
    answers: {
      302: {
        description: "Back to the page that began; `error` in its query says why nothing was linked",
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
      "A name has 1 to 64 characters, none of them a control character. `payout_wallet` is the linked wallet that " +
      "`GET /recipients` answers for the account's proven handles; null publishes none. To change it needs a session " +
      "that signed in within the last 10 minutes; API keys are refused.",
    body: accountChange,
    scope: "account",
    answers: { 200: { description: "The account", schema: account } },
    errors: ["reauthentication_required", "storage_unavailable"],
  },

  linkWallet: {
    tag: "Account",
    summary: "Link another wallet by its signed message",
    description:
      "The message is that of a sign-in, with a nonce of its own; see POST /api/auth/siwe/nonce. An account has at most 100.",
    body: signedMessage,
    scope: "account",
    recentSignIn: true,
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
  },

  unlinkWallet: {
    tag: "Account",
    summary: "Unlink a wallet, but not the last one",
    description: "Ends the sessions that it opened, this one included, and the API keys that were created in them.",
    params: z.object({ address: evmAddress.describe("A wallet of the account.") }),
    scope: "account",
    recentSignIn: true,
    answers: { 200: { description: "It signs in to this account no more", schema: removed } },
    errors: ["not_found", "last_wallet", "storage_unavailable"],
  },

  listConnections: {
    tag: "Account",
    summary: "List the account's identities with provider ids and current handles",
    description: "Linked wallets, code host and social network. Handles are those that the provider reported last.",
    answers: { 200: { description: "Wallets, code host and social network", schema: connections } },
    errors: ["storage_unavailable"],
  },

  unlinkConnection: {
    tag: "Account",
    summary: "Unlink the code host or the social network",
    description: "Launches that name the handle show it as unverified. Payouts do not change.",
    params: z.object({ provider: handleProvider.describe("The provider to unlink.") }),
    scope: "account",
    recentSignIn: true,
    answers: { 200: { description: "Its handle is shown as unverified from now on", schema: removed } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  listCredits: {
    tag: "Account",
    summary: "Get the credit balance and its bookings, newest first",
    description: "`next_before` requests the page of older bookings; null at the end.",
    query: ledgerQuery,
    scope: "account",
    answers: { 200: { description: "The bookings", schema: creditLedger } },
    errors: ["storage_unavailable"],
  },

  createApiKey: {
    tag: "Account",
    summary: "Create an API key",
    description:
      "The key is in this answer and nowhere else; only its SHA-256 is kept. `scopes`: at most the session's; left out: " +
      "`read`, `write` and `transactions`. An account has at most 100 keys, and a key creates none.",
    body: newApiKey,
    scope: "account",
    recentSignIn: true,
    answers: { 201: { description: "The key", schema: createdApiKey } },
    errors: ["too_many_keys", "storage_unavailable"],
  },

  listApiKeys: {
    tag: "Account",
    summary: "List the API keys that may be used, newest first",
    description: "Without the keys themselves: `prefix` are the first characters of each.",
    scope: "account",
    answers: { 200: { description: "The keys, without what they are", schema: apiKeyList } },
    errors: ["storage_unavailable"],
  },

  revokeApiKey: {
    tag: "Account",
    summary: "Revoke an API key; it is refused within a second",
    description: "It cannot be used again. WebSockets that it opened are closed.",
    params: z.object({ id: z.uuid().describe("The id of one of the account's keys.") }),
    scope: "account",
    answers: { 200: { description: "Revoked", schema: removed } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  listSessions: {
    tag: "Account",
    summary: "List the browsers that are signed in",
    description: "`current` is the session of this request; `address` and `user_agent` are those of the sign-in.",
    scope: "account",
    answers: { 200: { description: "The sessions", schema: sessionList } },
    errors: ["storage_unavailable"],
  },

  endSessions: {
    tag: "Account",
    summary: "Sign out everywhere",
    description:
      "Every browser's session, this one included, is refused within a second; sign-ins and links under way end. API keys " +
      "stay.",
    scope: "account",
    recentSignIn: true,
    answers: { 200: { description: "How many sessions there were", schema: endedSessions } },
    errors: ["storage_unavailable"],
  },

  endSession: {
    tag: "Account",
    summary: "Sign one browser out",
    description: "The session is refused within a second.",
    params: z.object({ id: z.uuid().describe("The id of one of the account's sessions.") }),
    scope: "account",
    recentSignIn: true,
    answers: { 200: { description: "Signed out", schema: removed } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  listAccountEvents: {
    tag: "Account",
    summary: "List what happened to the account, newest first",
    description: "Keys, links, payout wallet, sessions, plan and exports. `details` has ids and names of what changed.",
    query: ledgerQuery,
    scope: "account",
    answers: { 200: { description: "The events", schema: accountEvents } },
    errors: ["storage_unavailable"],
  },

  exportAccount: {
    tag: "Account",
    summary: "Export everything that the service stores of the account",
    description:
      "Lists of more than 10,000 entries hold the latest; credits and events continue in their own pages. Keys are " +
      "stored as hashes only, which are left out. The export is an event of the account. It is sent as it is read: one " +
      "that ends early is not valid JSON. Each process sends one export of an account at a time.",
    scope: "account",
    answers: { 200: { description: "The account", schema: accountExport, headers: ["Content-Disposition"] } },
    errors: ["storage_unavailable"],
  },

  deleteAccount: {
    tag: "Account",
    summary: "Delete the account for good",
    description:
      "Drafts and their labels, sessions, keys, wallets, links, plans and events are deleted, and its credentials are " +
      "refused within a second. Bookings of credits stay without a person; credits that are left lapse. What is on the " +
      "chain stays.",
    scope: "account",
    recentSignIn: true,
    answers: { 200: { description: "Deleted", schema: removed } },
    errors: ["storage_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
