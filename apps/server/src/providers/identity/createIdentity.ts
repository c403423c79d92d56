import type { HandleProvider } from "@slipway/protocol/accounts";
import { SlipwayError } from "@slipway/protocol/errors";
import { betterAuth } from "better-auth";
import { APIError } from "better-auth/api";
import { genericOAuth } from "better-auth/plugins/generic-oauth";
import { siwe } from "better-auth/plugins/siwe";
import type { Hex } from "viem";
import { recordAccountEvent } from "../../accounts/accountEvents.ts";
import { createWalletAccount, listConnections, recordAddress, recordHandle } from "../../accounts/identities.ts";
import { getServedChainId } from "../../chain/chain.ts";
import type { Config } from "../../config.ts";
import type { Runtime } from "../../runtime.ts";
import { createOAuthConfig, type Profile } from "./oauthProviders.ts";
import { checkSignInMessage, verifyWalletSignature } from "./signInMessage.ts";
import { createNonce } from "./signInNonce.ts";
import { getCookiePrefix, getSignInSettings, type SignInSettings, type Site } from "./signInSettings.ts";

/**
 * Base path of the library's endpoints, none of which is mounted: only the routes of features/accounts are reachable.
 */
export const authPath = "/api/auth";

/** Passes the client address to the library. Only this service sets it; a client's header of this name is dropped. */
export const clientAddressHeader = "x-slipway-client-address";

const daySeconds = 86_400;
const timestamps = { createdAt: "created_at", updatedAt: "updated_at" };
/** A provider's tokens are not stored, because only the identity is used. */
const withoutTokens = { accessToken: null, refreshToken: null, idToken: null, password: null };

/** The identity service: the sign-in library on the tables of this service, and its configuration. */
export type Identity = { auth: ReturnType<typeof createAuth>; site: Site; linkable: SignInSettings["linkable"] };

/** Creates the identity service of a process; null if sign-in is not configured. */
export function createIdentity(runtime: Runtime): Identity | null {
  const { site, linkable } = getSignInSettings(runtime.config);
  return site === null ? null : { auth: createAuth(runtime, site, linkable), site, linkable };
}

/** @throws SlipwayError `provider_unavailable` that names the missing setting. */
export function requireIdentity({ identity, config }: { identity: Identity | null; config: Config }): Identity {
  if (identity !== null) return identity;
  throw new SlipwayError("provider_unavailable", `Sign-in is not available: ${getSignInSettings(config).reason}`);
}

/**
 * better-auth on the tables of this service: Sign-In with Ethereum, sessions by cookie, linking by OAuth 2. A user has
 * the id of its account.
 */
function createAuth(runtime: Runtime, site: Site, linkable: readonly HandleProvider[]) {
  const { config, db, log } = runtime;
  const onProfile = async (seen: { provider: HandleProvider } & Profile) => {
    await recordHandle(db.api, seen);
    // Mails about the account's security go to this address; without a mail server it is not stored.
    await recordAddress(db.api, config.SMTP_URL === undefined ? { ...seen, address: null } : seen);
  };
  return betterAuth({
    appName: "Slipway",
    baseURL: site.origin,
    basePath: authPath,
    secret: config.AUTH_SECRET!.revealText(),
    trustedOrigins: config.ALLOWED_ORIGINS,
    telemetry: { enabled: false },
    // http/overload limits every route.
    rateLimit: { enabled: false },
    // http/sendError.ts sends and logs the library's errors; the library would print them with their details.
    onAPIError: { throw: true, errorURL: `${site.origin}/` },
    // Logs only the library's message, because its arguments may contain a token or an address. Its errors include
    // faults of callers (an invented state); oauthProviders.ts and http/sendError.ts log what concerns an operator.
    logger: {
      log: (level, message) => log[level === "error" ? "info" : "debug"]({ message }, "identity library message"),
    },
    database: db.api,
    advanced: {
      database: { generateId: () => runtime.ids.uuid(), validateSchema: false },
      cookiePrefix: getCookiePrefix(site),
      useSecureCookies: false,
      defaultCookieAttributes: { secure: site.secure, httpOnly: true, sameSite: "lax", path: "/" },
      ipAddress: { ipAddressHeaders: [clientAddressHeader] },
    },
    user: { modelName: "app.users", fields: { emailVerified: "email_verified", ...timestamps } },
    session: {
      modelName: "app.sessions",
      expiresIn: config.SESSION_DAYS * daySeconds,
      updateAge: Math.min(config.SESSION_DAYS * daySeconds, daySeconds) / 2,
      fields: {
        userId: "user_id",
        expiresAt: "expires_at",
        ipAddress: "ip_address",
        userAgent: "user_agent",
        ...timestamps,
      },
    },
    account: {
      modelName: "app.identities",
      fields: {
        userId: "user_id",
        accountId: "account_id",
        providerId: "provider_id",
        accessToken: "access_token",
        refreshToken: "refresh_token",
        idToken: "id_token",
        accessTokenExpiresAt: "access_token_expires_at",
        refreshTokenExpiresAt: "refresh_token_expires_at",
        ...timestamps,
      },
      accountLinking: { enabled: true, allowDifferentEmails: true, trustedProviders: [...linkable] },
    },
    verification: { modelName: "app.verifications", fields: { expiresAt: "expires_at", ...timestamps } },
    databaseHooks: {
      account: {
        create: {
          before: async (row) => {
            const linked = await listConnections(db.api, row.userId);
            // One identity per provider: with two, the account's handle would be ambiguous.
            if (linked.some(({ provider }) => provider === row.providerId)) return false;
            return { data: { ...row, ...withoutTokens } };
          },
          after: async ({ userId, providerId, accountId }) => {
            if (providerId === "siwe") {
              const wallet = accountId.split(":")[0];
              await recordAccountEvent(db.api, userId, "wallet_linked", { wallet });
            } else {
              await recordAccountEvent(db.api, userId, "connection_linked", { provider: providerId, id: accountId });
            }
          },
        },
        update: { before: async (row) => ({ data: { ...row, ...withoutTokens } }) },
      },
    },
    plugins: [
      siwe({
        domain: site.domain,
        anonymous: true,
        // Never called, but required by the library: signInNonce.ts issues nonces, which are bound to a browser.
        getNonce: async () => createNonce(runtime),
        verifyMessage: ({ message, signature, address, chainId, cacao }) =>
          verifySignIn(runtime, site, {
            message,
            signature: signature as Hex,
            address,
            chainId,
            nonce: cacao?.p.nonce,
          }),
        schema: {
          walletAddress: {
            modelName: "app.wallets",
            fields: { userId: "user_id", chainId: "chain_id", isPrimary: "is_primary", createdAt: "created_at" },
          },
        },
      }),
      genericOAuth({ config: linkable.map((provider) => createOAuthConfig(runtime, provider, onProfile)) }),
    ],
  });
}

/**
 * Checks a sign-in message, and that the library parsed the same fields from it. Creates the wallet's account, which
 * the library then finds.
 */
async function verifySignIn(
  runtime: Runtime,
  site: Site,
  read: { message: string; signature: Hex; address: string; chainId: number; nonce: string | undefined },
): Promise<boolean> {
  const expected = { ...site, chainId: getServedChainId(runtime), nowMs: runtime.clock.now() };
  const checked = checkSignInMessage(read.message, expected);
  if ("problem" in checked) return false;
  const isSame =
    checked.address.toLowerCase() === read.address.toLowerCase() &&
    checked.chainId === read.chainId &&
    checked.nonce === read.nonce;
  if (!isSame) return false;
  try {
    if (!(await verifyWalletSignature(runtime.chain, { ...read, address: checked.address }))) return false;
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
    // The only kind of error that the library passes on unchanged.
    throw new APIError("SERVICE_UNAVAILABLE", { code: error.code, message: error.message });
  }
  const { db, ids } = runtime;
  const { address, chainId } = checked;
  const newIds = { id: ids.uuid(), identityId: ids.uuid(), accountId: ids.uuid() };
  await createWalletAccount(db.api, { ...newIds, address, chainId });
  return true;
}
