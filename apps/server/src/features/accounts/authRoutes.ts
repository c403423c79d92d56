import {
  currentSession,
  handleProvider,
  linkRequest,
  linkStart,
  removed,
  signedIn,
  signedMessage,
  signInNonce,
} from "@slipway/protocol/accounts";
import { SlipwayError } from "@slipway/protocol/errors";
import { checksummed } from "@slipway/protocol/primitives";
import { isStorableText } from "@slipway/protocol/text";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { confirmSession, deleteExpired } from "../../accounts/sessions.ts";
import { getServedChainId } from "../../chain/chain.ts";
import type { Deps } from "../../deps.ts";
import { callIdentity, type IdentityAnswer, readSession } from "../../providers/identity/callIdentity.ts";
import { type Identity, requireIdentity } from "../../providers/identity/createIdentity.ts";
import { issueNonce, requireOwnNonce } from "../../providers/identity/signInNonce.ts";
import { findSessionCookie } from "../../providers/identity/signInSettings.ts";
import { guardedRoute, publicRoute, type Route } from "../../route.ts";
import { requireSignInMessage } from "./proveWallet.ts";

const unavailable = ["provider_unavailable", "storage_unavailable"] as const;

/** What a session stores of a user agent; a caller chooses it. */
const maxUserAgentLength = 256;

/** What the library gets of a request. */
const toIdentityRequest = (request: FastifyRequest, clientAddress: string) => {
  const { cookie, origin, "user-agent": userAgent } = request.headers;
  return { headers: { cookie, origin, "user-agent": userAgent?.slice(0, maxUserAgentLength) }, clientAddress };
};

function setCookies(reply: FastifyReply, { cookies }: IdentityAnswer): void {
  for (const cookie of cookies) reply.header("set-cookie", cookie);
}

/** Sign-in with a wallet, the browser's session, and linking by OAuth 2. */
export function authRoutes(deps: Deps): Route[] {
  const common = { site: true, tag: "Sign in" } as const;

  return [
    publicRoute({
      ...common,
      method: "POST",
      path: "/api/auth/siwe/nonce",
      name: "createSignInNonce",
      sameOrigin: true,
      summary: "Get what a sign-in message must hold",
      description:
        "ERC-4361. The nonce is good for one attempt within 15 minutes, to sign in or to link a wallet, by the browser that " +
        "asked for it: the request that uses it must come with the cookie that this answer sets.",
      answers: { 200: { description: "Nonce, domain, URI and chain", schema: signInNonce, headers: ["Set-Cookie"] } },
      errors: ["manifest_missing", ...unavailable],
      handle: async ({ request, reply }) => {
        const { site } = requireIdentity(deps);
        const chainId = getServedChainId(deps);
        // Here, since every nonce adds a row, whether it is used or not.
        await deleteExpired(deps.db.api);
        const { nonce, cookie } = await issueNonce(deps, site, request.headers.cookie);
        reply.header("set-cookie", cookie);
        return { nonce, domain: site.domain, uri: site.origin, chain_id: chainId };
      },
    }),

    publicRoute({
      ...common,
      method: "POST",
      path: "/api/auth/siwe/verify",
      name: "signIn",
      sameOrigin: true,
      summary: "Sign in with a wallet's signed message",
      description:
        "Verified by ECDSA, for contract wallets by ERC-1271 and ERC-6492. The request must come with the cookie that " +
        "POST /api/auth/siwe/nonce set. The first sign-in of a wallet creates its account. Sets the session cookie: a new " +
        "session each time; the one that the request came with ends.",
      schemas: { body: signedMessage },
      answers: { 200: { description: "Signed in", schema: signedIn, headers: ["Set-Cookie"] } },
      errors: ["unauthorized", "manifest_missing", "chain_unavailable", ...unavailable],
      handle: async ({ body, request, reply, clientAddress }) => {
        const identity = requireIdentity(deps);
        const { nonce } = requireSignInMessage(deps, identity, body.message, "unauthorized");
        const { cookie } = request.headers;
        const { created_at } = await requireOwnNonce(deps, identity.site, nonce, cookie, "unauthorized");
        const earlier = findSessionCookie(identity.site, cookie);
        const from = toIdentityRequest(request, clientAddress);
        const answer = await callIdentity(identity, {
          method: "POST",
          path: "/siwe/verify",
          body,
          ...from,
          headers: { ...from.headers, cookie: undefined },
        });
        const { id: accountId, walletAddress: wallet } = answer.body.user;
        const opened = { token: answer.body.token, accountId, wallet, nonceCreatedAt: created_at };
        if (!(await confirmSession(deps.db.api, opened))) {
          throw new SlipwayError(
            "unauthorized",
            "The account signed out everywhere or unlinked this wallet meanwhile.",
          );
        }
        if (earlier !== null) await signOut(identity, earlier, clientAddress);
        setCookies(reply, answer);
        return { account_id: accountId, wallet: checksummed(wallet) };
      },
    }),

    guardedRoute({
      ...common,
      method: "GET",
      path: "/api/auth/session",
      name: "getSession",
      summary: "Get this browser's session, and prolong it",
      description: "A session that was not prolonged for half a day gets a later end, and the browser a new cookie.",
      answers: { 200: { description: "The session", schema: currentSession, headers: ["Set-Cookie"] } },
      errors: ["session_required", ...unavailable],
      handle: async ({ principal, request, reply, clientAddress }) => {
        if (principal.sessionId === null) throw new SlipwayError("session_required");
        const identity = requireIdentity(deps);
        const from = toIdentityRequest(request, clientAddress);
        const answer = await callIdentity(identity, { method: "GET", path: "/get-session", ...from });
        const session = answer.body?.session;
        if (!session) throw new SlipwayError("unauthorized");
        setCookies(reply, answer);
        return { account_id: session.userId, session_id: session.id, expires_at: session.expiresAt };
      },
    }),

    guardedRoute({
      ...common,
      method: "POST",
      path: "/api/auth/sign-out",
      name: "signOut",
      scope: "account",
      summary: "End this browser's session",
      description: "The session is refused within a second. Other browsers stay signed in.",
      answers: { 200: { description: "Signed out", schema: removed, headers: ["Set-Cookie"] } },
      errors: ["session_required", ...unavailable],
      handle: async ({ principal, request, reply, clientAddress }) => {
        if (principal.sessionId === null) throw new SlipwayError("session_required");
        const identity = requireIdentity(deps);
        const from = toIdentityRequest(request, clientAddress);
        setCookies(reply, await callIdentity(identity, { method: "POST", path: "/sign-out", ...from }));
        return { removed: true };
      },
    }),

    guardedRoute({
      ...common,
      method: "POST",
      path: "/api/auth/link-social",
      name: "startLink",
      scope: "account",
      recentSignIn: true,
      summary: "Begin linking an identity at the code host or the social network",
      description:
        "Send the browser to `url`. It comes back to /api/auth/callback/{provider} and from there to `callback_url`, a " +
        "path of this site; with `?error=` when nothing was linked.",
      schemas: { body: linkRequest },
      answers: { 200: { description: "Where to send the browser", schema: linkStart, headers: ["Set-Cookie"] } },
      errors: unavailable,
      handle: async ({ body, request, reply, clientAddress }) => {
        const identity = requireIdentity(deps);
        requireLinkable(identity, body.provider);
        const callbackURL = body.callback_url ?? "/";
        const answer = await callIdentity(identity, {
          method: "POST",
          path: "/link-social",
          body: { provider: body.provider, callbackURL, errorCallbackURL: callbackURL, disableRedirect: true },
          ...toIdentityRequest(request, clientAddress),
        });
        setCookies(reply, answer);
        return { url: answer.body.url };
      },
    }),

    publicRoute({
      ...common,
      method: "GET",
      path: "/api/auth/callback/:provider",
      foreignQuery: true,
      name: "finishLink",
      summary: "Where the provider sends the browser back",
      description:
        "A page of this site sends the browser to the provider, and the provider sends it here. No program calls it. Good " +
        "once, in the browser that began while its session lasts, and for the account that began.",
      schemas: { params: z.object({ provider: handleProvider.describe("The provider that the browser comes from.") }) },
      answers: {
        302: {
          description: "Back to the page that began; `error` in its query says why nothing was linked",
          headers: ["Location", "Set-Cookie"],
        },
      },
      errors: ["invalid_request", ...unavailable],
      handle: async ({ params, request, reply, clientAddress }) => {
        const identity = requireIdentity(deps);
        requireLinkable(identity, params.provider);
        const query = new URL(request.raw.url ?? "", identity.site.origin).searchParams;
        // Providers choose the names and values: no schema lists them, and the library reads them as they are.
        if (![...query].flat().every(isStorableText)) throw new SlipwayError("invalid_request");
        const session = findSessionCookie(identity.site, request.headers.cookie);
        if (session === null || (await readSession(identity, session)) === null) {
          reply.code(302).header("location", `${identity.site.origin}/?error=signed_out`);
          return null;
        }
        const answer = await callIdentity(identity, {
          method: "GET",
          path: `/callback/${params.provider}`,
          query,
          ...toIdentityRequest(request, clientAddress),
        });
        setCookies(reply, answer);
        reply.code(302).header("location", answer.location ?? identity.site.origin);
        return null;
      },
    }),
  ];
}

function requireLinkable({ linkable }: Identity, provider: z.infer<typeof handleProvider>): void {
  if (!linkable.includes(provider)) {
    throw new SlipwayError("provider_unavailable", `The operator has not configured ${provider}.`);
  }
}

/** Ends the session that a browser had before it signed in again. */
async function signOut(identity: Identity, cookie: string, clientAddress: string): Promise<void> {
  if ((await readSession(identity, cookie)) === null) return;
  const headers = { cookie, origin: identity.site.origin };
  await callIdentity(identity, { method: "POST", path: "/sign-out", headers, clientAddress });
}
