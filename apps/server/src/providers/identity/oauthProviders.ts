import { Readable } from "node:stream";
import type { HandleProvider } from "@slipway/protocol/accounts";
import { emailAddress } from "@slipway/protocol/alerts";
import type { GenericOAuthConfig } from "better-auth/plugins/generic-oauth";
import { z } from "zod";
import type { Config } from "../../config.ts";
import type { Runtime } from "../../runtime.ts";
import { readBody } from "../untrustedFetch/readBody.ts";

/** A user at a provider: the provider's id, the public handle, and the e-mail address if the provider has verified it. */
export type Profile = { id: string; handle: string; address: string | null };

/** Settings and log of the process. */
type OAuthRuntime = Pick<Runtime, "config" | "log">;

type OnProfile = (seen: { provider: HandleProvider } & Profile) => Promise<void>;

/** Gets a profile's field by its path, with dots between the names. */
function getField(profile: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => {
    const isRecord = typeof value === "object" && value !== null && Object.hasOwn(value, name);
    return isRecord ? (value as Record<string, unknown>)[name] : undefined;
  }, profile);
}

/**
 * Text without control characters, which no id or handle has, and without unpaired surrogates, which PostgreSQL
 * rejects.
 */
const plainText = z.string().regex(/^[^\p{Cc}\p{Cs}]+$/u);
const idText = z.union([plainText.max(255), z.int()]).transform(String);
const handleText = z
  .string()
  .transform((handle) => handle.replace(/^@/, ""))
  .pipe(plainText.max(39));

/**
 * Fetches the profile of a token's owner from a provider; ignores fields other than id, handle and address.
 *
 * @returns Null when the provider fails, is late, or responds in another form than the configured one.
 */
async function readProfile(
  { config, log }: OAuthRuntime,
  provider: HandleProvider,
  accessToken: string,
): Promise<Profile | null> {
  const settings = getProviderSettings(config, provider);
  // A failure here is the provider's: the user in the browser cannot correct it.
  const headers = { authorization: `Bearer ${accessToken}` };
  const profile = await requestProvider(log, provider, settings.userInfoUrl, { headers }).catch(() => null);
  const id = idText.safeParse(getField(profile, settings.idField));
  const handle = handleText.safeParse(getField(profile, settings.handleField));
  if (!id.success || !handle.success) return null;
  // OpenID Connect Core 1.0, 5.1: an unverified address can belong to another person.
  const address = emailAddress.safeParse(getField(profile, "email"));
  const isVerified = address.success && getField(profile, "email_verified") === true;
  return { id: id.data, handle: handle.data, address: isVerified ? address.data : null };
}

const tokenResponse = z.object({ access_token: z.string().min(1) });

/**
 * Exchanges the authorization code of a callback for a token (RFC 6749, 4.1.3; RFC 7636, 4.5). The library's own
 * exchange has no timeout.
 *
 * @throws when the provider does not return a token in time; the library then redirects the browser with an error.
 */
async function exchangeCode(
  { config, log }: OAuthRuntime,
  provider: HandleProvider,
  callback: { code: string; redirectURI: string; codeVerifier?: string | undefined },
): Promise<{ accessToken: string }> {
  const { clientId, clientSecret, tokenUrl, tokenAuth } = getProviderSettings(config, provider);
  const id = clientId!;
  const secret = clientSecret!.revealText();
  const credentials = [id, secret].map(encodeURIComponent).join(":");
  const body = await requestProvider(log, provider, tokenUrl, {
    headers: tokenAuth === "basic" ? { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` } : {},
    form: {
      grant_type: "authorization_code",
      code: callback.code,
      redirect_uri: callback.redirectURI,
      ...(callback.codeVerifier === undefined ? {} : { code_verifier: callback.codeVerifier }),
      ...(tokenAuth === "post" ? { client_id: id, client_secret: secret } : {}),
    },
  });
  return { accessToken: tokenResponse.parse(body).access_token };
}

function getProviderSettings(config: Config, provider: HandleProvider) {
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
 * Configures a provider's OAuth 2 server, with PKCE. Endpoints are configured and not discovered, so that a provider
 * that is unreachable while this process starts can be linked later.
 *
 * @param onProfile - Called with the current handle each time a user links the provider.
 */
export function createOAuthConfig(
  runtime: OAuthRuntime,
  provider: HandleProvider,
  onProfile: OnProfile,
): GenericOAuthConfig {
  const settings = getProviderSettings(runtime.config, provider);
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
    getToken: async (callback) => await exchangeCode(runtime, provider, callback),
    accountSubject: ({ profile }) => String((profile as { id?: unknown }).id ?? ""),
    getUserInfo: async ({ accessToken }) => {
      const profile = accessToken ? await readProfile(runtime, provider, accessToken) : null;
      if (profile === null) return null;
      await onProfile({ provider, ...profile });
      // The library requires an e-mail address; this one cannot exist.
      return { id: profile.id, name: profile.handle, email: `${profile.id}@${provider}.invalid`, emailVerified: false };
    },
  };
}

/** The timeout of one response of a provider. */
const timeoutMs = 10_000;
/** More than any response about one user. */
const maxResponseBytes = 256 * 1024;

/** A request to a provider; with `form` it is a POST. */
type ProviderRequest = { headers: Record<string, string>; form?: Record<string, string> };

/**
 * Errors of RFC 6749, 5.2, and of a well-known provider that the operator's settings cause; a user can cause all
 * others.
 */
const settingsErrors: ReadonlySet<string> = new Set([
  "invalid_client",
  "unauthorized_client",
  "incorrect_client_credentials",
  "redirect_uri_mismatch",
]);

const errorResponse = z.object({ error: z.string() });

/**
 * Requests JSON from an OAuth server. The operator configures the URL; the response is untrusted. Logs faults that
 * concern the operator: an unusable response, a failure, a refused client.
 *
 * @returns the parsed body; null for a status other than 2xx.
 * @throws when there is no response in time, or no JSON response of at most {@link maxResponseBytes}.
 */
async function requestProvider(
  log: Runtime["log"],
  provider: HandleProvider,
  url: string,
  { headers, form }: ProviderRequest,
): Promise<unknown> {
  const warn = (fields: object) => log.warn({ provider, ...fields }, "oauth provider failed");
  const response = await fetch(url, {
    method: form === undefined ? "GET" : "POST",
    headers: { accept: "application/json", "user-agent": "slipway", ...headers },
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: Error & { cause?: { code?: string } }) => {
    // The message may contain the URL.
    warn({ reason: error.cause?.code ?? error.name });
    throw error;
  });
  const { ok, status } = response;
  const body = await readJson(response).catch((error: unknown) => {
    if (!ok) return null;
    warn({ status, reason: "no JSON" });
    throw error;
  });
  const error = errorResponse.safeParse(body).data?.error;
  if (status >= 500 || status === 401) warn({ status });
  else if (error !== undefined && settingsErrors.has(error)) warn({ status, error });
  return ok ? body : null;
}

/** @throws when the body is not JSON of at most {@link maxResponseBytes}. */
async function readJson(response: Response): Promise<unknown> {
  // fetch has decompressed it.
  const bytes = await readBody(Readable.fromWeb(response.body as never), {}, maxResponseBytes);
  return JSON.parse(new TextDecoder().decode(bytes));
}
