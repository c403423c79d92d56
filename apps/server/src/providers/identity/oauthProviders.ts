import { Readable } from "node:stream";
import type { HandleProvider } from "@slipway/protocol/accounts";
import type { GenericOAuthConfig } from "better-auth/plugins/generic-oauth";
import { z } from "zod";
import type { Config } from "../../config.ts";
import { readBody } from "../untrustedFetch/readBody.ts";

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

/** PostgreSQL keeps no NUL and no half of a surrogate pair; no id and no handle has other control characters. */
const plainText = z.string().regex(/^[^\p{Cc}\p{Cs}]+$/u);
const idText = z.union([plainText.max(255), z.int()]).transform(String);
const handleText = z
  .string()
  .transform((handle) => handle.replace(/^@/, ""))
  .pipe(plainText.max(39));

/**
 * Asks a provider who the owner of a token is. Answers other than the two fields are not looked at.
 *
 * @returns Null when it does not say so in the configured form, or in time, or at all.
 */
async function readProfile(config: Config, provider: HandleProvider, accessToken: string): Promise<Profile | null> {
  const settings = settingsOf(config, provider);
  // Whatever goes wrong there is the provider's, and nothing that the person at the browser could mend.
  const profile = await askProvider(settings.userInfoUrl, {
    headers: { authorization: `Bearer ${accessToken}` },
  }).catch(() => null);
  const id = idText.safeParse(fieldOf(profile, settings.idField));
  const handle = handleText.safeParse(fieldOf(profile, settings.handleField));
  return id.success && handle.success ? { id: id.data, handle: handle.data } : null;
}

const tokenAnswer = z.object({ access_token: z.string().min(1) });

/**
 * Changes the code that a browser came back with for a token (RFC 6749, 4.1.3; RFC 7636, 4.5). The library would wait
 * for the provider without end.
 *
 * @throws when the provider does not give one in time; the library then sends the browser back.
 */
async function askForToken(
  config: Config,
  provider: HandleProvider,
  came: { code: string; redirectURI: string; codeVerifier?: string | undefined },
): Promise<{ accessToken: string }> {
  const { clientId, clientSecret, tokenUrl, tokenAuth } = settingsOf(config, provider);
  const [id, secret] = [clientId!, clientSecret!.revealText()];
  const credentials = [id, secret].map(encodeURIComponent).join(":");
  const answer = await askProvider(tokenUrl, {
    headers: tokenAuth === "basic" ? { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` } : {},
    form: {
      grant_type: "authorization_code",
      code: came.code,
      redirect_uri: came.redirectURI,
      ...(came.codeVerifier === undefined ? {} : { code_verifier: came.codeVerifier }),
      ...(tokenAuth === "post" ? { client_id: id, client_secret: secret } : {}),
    },
  });
  return { accessToken: tokenAnswer.parse(answer).access_token };
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
    getToken: async (came) => await askForToken(config, provider, came),
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

/** How long a provider may take for one answer. */
const patienceMs = 10_000;
/** No answer about one user is longer. */
const maxAnswerBytes = 256 * 1024;

/** A request as providers are asked; `form` makes it a POST. */
export type ProviderRequest = { headers: Record<string, string>; form?: Record<string, string> };

/**
 * Asks an OAuth server for JSON. Its URL comes from the operator; its answers may be late, endless or anything.
 *
 * @returns what it says, unknown; null when it refuses.
 * @throws when there is no answer in time, or none that is JSON of a sensible size.
 */
export async function askProvider(url: string, { headers, form }: ProviderRequest): Promise<unknown> {
  const response = await fetch(url, {
    method: form === undefined ? "GET" : "POST",
    headers: { accept: "application/json", "user-agent": "slipway", ...headers },
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    redirect: "error",
    signal: AbortSignal.timeout(patienceMs),
  });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    return null;
  }
  // Decompressed by fetch already.
  const bytes = await readBody(Readable.fromWeb(response.body as never), {}, maxAnswerBytes);
  return JSON.parse(new TextDecoder().decode(bytes));
}
