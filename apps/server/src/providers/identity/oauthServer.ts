import type { HandleProvider } from "@slipway/protocol/accounts";
import type { GenericOAuthConfig } from "better-auth/plugins/generic-oauth";
import { z } from "zod";
import type { Config } from "../../config.ts";

/** How long a provider may take to say who somebody is. */
const patienceMs = 10_000;
/** No answer about one user is longer. */
const maxProfileBytes = 256 * 1024;

/** Who somebody is at a provider: its own id, and the handle that people know. */
export type Profile = { id: string; handle: string };

type Remember = (seen: { provider: HandleProvider } & Profile) => Promise<void>;

/** A profile's field by its path; dots go down. */
function fieldOf(profile: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => {
    const isRecord = typeof value === "object" && value !== null && Object.hasOwn(value, name);
    return isRecord ? (value as Record<string, unknown>)[name] : undefined;
  }, profile);
}

const idText = z.union([z.string().min(1).max(255), z.int()]).transform(String);
const handleText = z
  .string()
  .transform((handle) => handle.replace(/^@/, ""))
  .pipe(z.string().min(1).max(39));

/**
 * Asks a provider who the owner of a token is. Answers other than the two fields are not looked at.
 *
 * @returns Null when it does not say so in the configured form.
 */
async function readProfile(config: Config, provider: HandleProvider, accessToken: string): Promise<Profile | null> {
  const settings = settingsOf(config, provider);
  const response = await fetch(settings.userInfoUrl, {
    headers: { authorization: `Bearer ${accessToken}`, accept: "application/json", "user-agent": "slipway" },
    redirect: "error",
    signal: AbortSignal.timeout(patienceMs),
  });
  if (!response.ok || Number(response.headers.get("content-length") ?? 0) > maxProfileBytes) return null;
  const profile: unknown = await response.json();
  const id = idText.safeParse(fieldOf(profile, settings.idField));
  const handle = handleText.safeParse(fieldOf(profile, settings.handleField));
  return id.success && handle.success ? { id: id.data, handle: handle.data } : null;
}

function settingsOf(config: Config, provider: HandleProvider) {
  return provider === "code_host"
    ? {
        clientId: config.CODE_HOST_CLIENT_ID,
        clientSecret: config.CODE_HOST_CLIENT_SECRET,
        authorizationUrl: config.CODE_HOST_AUTHORIZATION_URL,
        tokenUrl: config.CODE_HOST_TOKEN_URL,
        userInfoUrl: config.CODE_HOST_USERINFO_URL,
        scopes: config.CODE_HOST_SCOPES,
        idField: config.CODE_HOST_ID_FIELD,
        handleField: config.CODE_HOST_HANDLE_FIELD,
        tokenAuth: config.CODE_HOST_TOKEN_AUTH,
      }
    : {
        clientId: config.SOCIAL_CLIENT_ID,
        clientSecret: config.SOCIAL_CLIENT_SECRET,
        authorizationUrl: config.SOCIAL_AUTHORIZATION_URL,
        tokenUrl: config.SOCIAL_TOKEN_URL,
        userInfoUrl: config.SOCIAL_USERINFO_URL,
        scopes: config.SOCIAL_SCOPES,
        idField: config.SOCIAL_ID_FIELD,
        handleField: config.SOCIAL_HANDLE_FIELD,
        tokenAuth: config.SOCIAL_TOKEN_AUTH,
      };
}

/**
 * The configured OAuth 2 server behind a provider, with PKCE. Endpoints are configured, not discovered: what a start
 * of this process can reach must not decide what its users can link.
 *
 * @param remember - Is told the current handle each time somebody links.
 */
export function oauthServer(config: Config, provider: HandleProvider, remember: Remember): GenericOAuthConfig {
  const settings = settingsOf(config, provider);
  return {
    providerId: provider,
    clientId: settings.clientId!,
    clientSecret: settings.clientSecret!.revealText(),
    authorizationUrl: settings.authorizationUrl,
    tokenUrl: settings.tokenUrl,
    userInfoUrl: settings.userInfoUrl,
    scopes: settings.scopes.split(" ").filter(Boolean),
    pkce: true,
    authentication: settings.tokenAuth,
    disableSignUp: true,
    accountSubject: ({ profile }) => String((profile as { id?: unknown }).id ?? ""),
    getUserInfo: async ({ accessToken }) => {
      const profile = accessToken ? await readProfile(config, provider, accessToken) : null;
      if (profile === null) return null;
      await remember({ provider, ...profile });
      // The library wants an address; none is asked for or kept.
      return { id: profile.id, name: profile.handle, email: `${profile.id}@${provider}.invalid`, emailVerified: false };
    },
  };
}
