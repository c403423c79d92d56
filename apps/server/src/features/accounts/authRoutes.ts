import type { handleProvider } from "@slipway/protocol/accounts";
import { SlipwayError } from "@slipway/protocol/errors";
import { checksummed } from "@slipway/protocol/primitives";
import { isStorableText } from "@slipway/protocol/text";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { claimOAuthFlow, confirmSession, deleteExpired } from "../../accounts/sessions.ts";
import { getServedChainId } from "../../chain/chain.ts";
import type { Deps } from "../../deps.ts";
import { callIdentity, type IdentityAnswer, readSession } from "../../providers/identity/callIdentity.ts";
import { type Identity, requireIdentity } from "../../providers/identity/createIdentity.ts";
import { issueNonce, requireOwnNonce } from "../../providers/identity/signInNonce.ts";
import { findSessionCookie, hasStateCookie } from "../../providers/identity/signInSettings.ts";
import { createRoute, type Route } from "../../route.ts";
import { requireSignInMessage } from "./proveWallet.ts";

/** Maximum length of a stored user agent, which the client chooses. */
const maxUserAgentLength = 256;

/** Returns the parts of a request that the identity library receives. */
const toIdentityRequest = (request: FastifyRequest, clientAddress: string) => {
  const { cookie, origin, "user-agent": userAgent } = request.headers;
  return { headers: { cookie, origin, "user-agent": userAgent?.slice(0, maxUserAgentLength) }, clientAddress };
};

function setCookies(reply: FastifyReply, { cookies }: IdentityAnswer): void {
  for (const cookie of cookies) reply.header("set-cookie", cookie);
}

/** Routes for wallet sign-in, the browser's session and links by OAuth 2. */
export function authRoutes(deps: Deps): Route[] {
  return [
    createRoute("createSignInNonce", {
      handle: async ({ request, reply }) => {
        const { site } = requireIdentity(deps);
        const chainId = getServedChainId(deps);
        // Cleans up here, because every nonce adds a row, even if the nonce is never used.
        await deleteExpired(deps.db.api);
        const { nonce, cookie } = await issueNonce(deps, site, request.headers.cookie);
        reply.header("set-cookie", cookie);
        return { nonce, domain: site.domain, uri: site.origin, chain_id: chainId };
      },
    }),

    createRoute("signIn", {
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
            "The account signed out everywhere or unlinked this wallet during the sign-in.",
          );
        }
        if (earlier !== null) await signOut(identity, earlier, clientAddress);
        setCookies(reply, answer);
        return { account_id: accountId, wallet: checksummed(wallet) };
      },
    }),

    createRoute("getSession", {
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

    createRoute("signOut", {
      handle: async ({ principal, request, reply, clientAddress }) => {
        if (principal.sessionId === null) throw new SlipwayError("session_required");
        const identity = requireIdentity(deps);
        const from = toIdentityRequest(request, clientAddress);
        setCookies(reply, await callIdentity(identity, { method: "POST", path: "/sign-out", ...from }));
        return { removed: true };
      },
    }),

    createRoute("startLink", {
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

    createRoute("finishLink", {
      handle: async ({ params, request, reply, clientAddress }) => {
        const identity = requireIdentity(deps);
        requireLinkable(identity, params.provider);
        const query = new URL(request.raw.url ?? "", identity.site.origin).searchParams;
        // Providers choose the parameters, so no schema validates them before the library reads them.
        if (![...query].flat().every(isStorableText)) throw new SlipwayError("invalid_request");
        const fault = await findFlowFault(deps, identity, query.getAll("state"), request.headers.cookie);
        if (fault !== null) {
          reply.code(302).header("location", `${identity.site.origin}/?error=${fault}`);
          return null;
        }
        const answer = await callIdentity(identity, {
          method: "GET",
          path: `/callback/${params.provider}`,
          query,
          ...toIdentityRequest(request, clientAddress),
        });
        setCookies(reply, answer);
        reply.code(302).header("location", toOwnLocation(answer.location, identity.site.origin));
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

/**
 * Checks that the browser and the account that return from a provider started the flow, and claims the flow. The library
 * is not called otherwise, because it would send the browser to the page that the state names.
 */
async function findFlowFault(
  { db }: Deps,
  identity: Identity,
  states: readonly string[],
  cookies: string | undefined,
): Promise<"signed_out" | "state_mismatch" | null> {
  const cookie = findSessionCookie(identity.site, cookies);
  const session = cookie === null ? null : await readSession(identity, cookie);
  if (session === null) return "signed_out";
  const [state] = states;
  const isOwn =
    state !== undefined &&
    states.length === 1 &&
    hasStateCookie(identity.site, cookies, state) &&
    (await claimOAuthFlow(db.api, state, session.accountId));
  return isOwn ? null : "state_mismatch";
}

/** Resolves a location of the library; another site, also as a path such as `//host`, becomes the site's first page. */
function toOwnLocation(location: string | null, origin: string): string {
  const url = location === null ? null : URL.parse(location, origin);
  return url === null || url.origin !== origin || url.pathname.startsWith("//") ? origin : url.href;
}

/** Ends the session that a browser had before it signed in again. */
async function signOut(identity: Identity, cookie: string, clientAddress: string): Promise<void> {
  if ((await readSession(identity, cookie)) === null) return;
  const headers = { cookie, origin: identity.site.origin };
  await callIdentity(identity, { method: "POST", path: "/sign-out", headers, clientAddress });
}
