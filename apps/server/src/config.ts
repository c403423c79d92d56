import { isIP } from "node:net";
import { getHeapStatistics } from "node:v8";
import ipaddr from "ipaddr.js";
import proxyAddr from "proxy-addr";
import { z } from "zod";
import { historySettings } from "./historySettings.ts";
import { findImageProblems, imageSettings } from "./imageSettings.ts";
import { findKeeperProblems, keeperSettings } from "./keeperSettings.ts";
import { findListingProblems, listingSettings } from "./listingSettings.ts";
import { findMailProblems, mailSettings } from "./mailSettings.ts";
import { marketSettings } from "./marketSettings.ts";
import { officialAssetSettings } from "./officialAssetSettings.ts";
import { findPaymentProblems, paymentSettings } from "./paymentSettings.ts";
import {
  createEnum,
  integer,
  list,
  paymasterUrl,
  privateKey,
  secretText,
  url,
  urlWithUser,
  webOrigin,
  wei,
} from "./settingTypes.ts";
import { verifierSettings } from "./verifierSettings.ts";
import { webhookSettings } from "./webhookSettings.ts";

/** Exit code of a bad configuration (sysexits EX_CONFIG). */
export const configExitCode = 78;

const roles = ["api", "indexer", "worker"] as const;

/** Settings of an OAuth 2 or OIDC server with the defaults of a well-known provider. */
const oauthSettings = <P extends "CODE_HOST" | "SOCIAL">(
  prefix: P,
  defaults: Record<"authorization" | "token" | "userInfo" | "scopes" | "id" | "handle", string> & {
    tokenAuth: "basic" | "post";
  },
) => {
  const settings = {
    CLIENT_ID: z.string().min(1).optional(),
    CLIENT_SECRET: secretText(1).optional(),
    AUTHORIZATION_URL: url(["http:", "https:"]).default(defaults.authorization),
    TOKEN_URL: url(["http:", "https:"]).default(defaults.token),
    USERINFO_URL: url(["http:", "https:"]).default(defaults.userInfo),
    /** Separated by spaces. */
    SCOPES: z.string().default(defaults.scopes),
    /** Paths of id and handle in the response of USERINFO_URL, with dots between the names. */
    ID_FIELD: z.string().default(defaults.id),
    HANDLE_FIELD: z.string().default(defaults.handle),
    TOKEN_AUTH: createEnum(["basic", "post"]).default(defaults.tokenAuth),
  };
  type Settings = { [K in keyof typeof settings as `${P}_${K & string}`]: (typeof settings)[K] };
  return Object.fromEntries(
    Object.entries(settings).map(([name, schema]) => [`${prefix}_${name}`, schema]),
  ) as unknown as Settings;
};

const ether = 10n ** 18n;

/** The trusted proxies: a number of nearest hops, or addresses and ranges. */
export type TrustProxy = { hops: number } | { ranges: readonly string[] };

const namedRanges = ["loopback", "linklocal", "uniquelocal"];

/**
 * Parses `false` (none), `true` (the one proxy in front), a number of hops, or a list of addresses, ranges in CIDR
 * notation and the names loopback, linklocal, uniquelocal (RFC 4291, 3927, 4193, 1918).
 *
 * @returns null for anything else.
 */
export function parseTrustProxy(text: string): TrustProxy | null {
  if (text === "false") return { hops: 0 };
  if (text === "true") return { hops: 1 };
  if (/^\d{1,2}$/.test(text)) return { hops: Number(text) };
  const ranges = text.split(",").map((entry) => entry.trim());
  const isRange = (entry: string) => namedRanges.includes(entry) || isIP(entry) !== 0 || ipaddr.isValidCIDR(entry);
  try {
    // It also refuses a range of all addresses, which would trust the entries of clients.
    proxyAddr.compile(ranges);
    return ranges.every(isRange) ? { ranges } : null;
  } catch {
    return null;
  }
}

const trustProxy = z.string().transform((text, context) => {
  const trust = parseTrustProxy(text.trim());
  if (trust === null) context.addIssue("must be true, false, a number of hops, or addresses and ranges");
  return trust ?? z.NEVER;
});

/** Nine tenths of V8's limit: above it, garbage collection takes most of the time. */
const defaultHeapBytes = Math.floor(getHeapStatistics().heap_size_limit * 0.9);

/** Every setting of the server, named as its environment variable. */
export const environment = z.object({
  PORT: integer(0, 65535).default(8787),
  HOST: z.string().default("127.0.0.1"),
  /** Serves `/metrics` at an own port, in every role; default: at PORT, in the role `api`. */
  METRICS_PORT: integer(0, 65535).optional(),
  METRICS_HOST: z.string().default("127.0.0.1"),
  /** The metrics are formatted at most once in this time. */
  METRICS_CACHE_MS: integer(0, 60_000).default(1_000),
  SITE_URL: url(["http:", "https:"]).optional(),
  /** The chain's name and its endpoints for wallets, which differ from RPC_URL, because RPC_URL may contain a key. */
  CHAIN_NAME: z.string().min(1).max(40).optional(),
  PUBLIC_RPC_URLS: list(url(["http:", "https:"])).default([]),
  /**
   * The paymaster service (ERC-7677) that can pay the network fee of batches. It is public: GET /config shows it
   * to everybody, and the site passes it to the wallet of each user. A key in it must be restricted at the paymaster.
   */
  PAYMASTER_URL: paymasterUrl.optional(),
  /** The folder of the built site (`npm run web:build` writes apps/web/dist); default: an API without a site. */
  WEB_DIST: z.string().optional(),
  /** `false` removes the service worker of the installed app from the browsers that have it. */
  OFFLINE_PAGE: createEnum(["true", "false"])
    .default("true")
    .transform((text) => text === "true"),
  /** Where people report security problems and ask questions: the contact of OpenAPI and security.txt. */
  CONTACT_URL: url(["https:", "mailto:"]).optional(),
  /** Serves the MCP server at `/mcp`. */
  MCP: createEnum(["true", "false"])
    .default("false")
    .transform((text) => text === "true"),
  ROLES: list(createEnum(roles))
    .refine((named) => named.length > 0, `names no role; must be of ${roles.join(", ")}`)
    .default([...roles]),
  /** Logs statements that take longer; 0 logs none. */
  SLOW_QUERY_MS: integer(0, 600_000).default(0),
  /**
   * Sends traces over OTLP; without one, no part of OpenTelemetry is loaded. The SDK reads its other variables itself. A URL
   * may contain a user and a password.
   */
  OTEL_EXPORTER_OTLP_ENDPOINT: url(["http:", "https:"]).optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url(["http:", "https:"]).optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: createEnum(["http/json"]).optional(),
  OTEL_SDK_DISABLED: createEnum(["true", "false"])
    .default("false")
    .transform((text) => text === "true"),
  LOG_LEVEL: createEnum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),

  DATABASE_URL: url(["postgres:", "postgresql:"]),
  DATABASE_API_URL: urlWithUser(["postgres:", "postgresql:"]).optional(),
  DATABASE_INDEXER_URL: urlWithUser(["postgres:", "postgresql:"]).optional(),
  /** The replicas. */
  DATABASE_READ_URL: list(
    urlWithUser(["postgres:", "postgresql:"]),
    "must be URLs of replicas, separated by commas; write %2C for a comma within a URL",
  ).optional(),
  /** The maximum lag of a replica behind the primary while it answers reads. */
  DATABASE_READ_MAX_LAG_MS: integer(100, 86_400_000).default(30_000),
  DATABASE_POOL_SIZE: integer(2, 200).default(10),
  /** `true` creates the service's schemas in a database that has tables of another application. */
  DATABASE_SHARED: createEnum(["true", "false"])
    .default("false")
    .transform((text) => text === "true"),

  CHAIN_ID: integer(1, 2 ** 48).optional(),
  RPC_URL: list(urlWithUser(["http:", "https:"]), "must be URLs of the chain's endpoints, separated by commas").refine(
    (urls) => urls.length > 0,
    "names no endpoint of the chain",
  ),
  RPC_WS_URL: list(url(["ws:", "wss:"])).default([]),
  RPC_TIMEOUT_MS: integer(100, 120_000).default(10_000),
  /**
   * Calls per second of indexer and requests together; each call of a batch counts. The indexer waits. A request is answered
   * 503 while the calls of one second are waiting. An unsigned trade takes about eight calls: the default, low enough for a
   * public endpoint, allows about 25 trades per second.
   */
  RPC_REQUESTS_PER_SECOND: integer(1, 100_000).default(200),
  POLL_INTERVAL_MS: integer(5, 60_000).default(100),
  REORG_WINDOW_SECONDS: integer(1, 86_400).default(120),
  /** The minimum age of tokens in feeds; default: REORG_WINDOW_SECONDS. */
  FEED_DELAY_SECONDS: integer(0, 86_400).optional(),
  FEED_POLL_MS: integer(10, 3_600_000).default(10_000),
  MANIFEST_PATH: z.string().optional(),
  MANIFEST_SHA256: z
    .string()
    .regex(/^(0x)?[0-9a-f]{64}$/i, "must be a SHA-256 in hex")
    .optional(),

  FEATURED_TOKENS: list(z.string().regex(/^0x[0-9a-fA-F]{40}$/, "must be an address: 0x and 40 hex digits")).default(
    [],
  ),
  /** Proxies whose X-Forwarded-For is trusted: see parseTrustProxy. */
  TRUST_PROXY: trustProxy.default({ hops: 0 }),
  /** Origins whose pages may use a session, in addition to the origin of SITE_URL. */
  ALLOWED_ORIGINS: list(webOrigin).default([]),
  READ_LIMIT_PER_SECOND: integer(1, 1_000_000).default(50),
  READ_LIMIT_BURST: integer(1, 1_000_000).default(200),
  WRITE_LIMIT_PER_SECOND: integer(1, 1_000_000).default(20),
  WRITE_LIMIT_BURST: integer(1, 1_000_000).default(200),
  UPLOAD_LIMIT_PER_SECOND: integer(1, 1_000_000).default(1),
  UPLOAD_LIMIT_BURST: integer(1, 1_000_000).default(20),
  /** An upload whose body arrives more slowly is refused; 0 disables the limit. */
  UPLOAD_MIN_BYTES_PER_SECOND: integer(0, 1_000_000).default(8_192),
  /** How long a request may wait for shared limits before its process counts separately. */
  RATE_LIMIT_STORE_TIMEOUT_MS: integer(10, 60_000).default(250),
  /** How long a request may wait for a database connection in lasting overload before further requests are refused. */
  MAX_DATABASE_WAIT_MS: integer(100, 60_000).default(1_000),
  /** The API responds 503 `overloaded` above this mean delay of the event loop or size of V8's heap; 0 disables the limit. */
  MAX_EVENT_LOOP_DELAY_MS: integer(0, 60_000).default(1_000),
  MAX_HEAP_BYTES: integer(0, 2 ** 40).default(defaultHeapBytes),
  /** The time in which the headers of a request, and the whole request, must arrive. */
  HEADERS_TIMEOUT_MS: integer(100, 120_000).default(10_000),
  REQUEST_TIMEOUT_MS: integer(100, 300_000).default(30_000),
  MAX_CONNECTIONS: integer(1, 1_000_000).default(10_000),
  /** Maximum open connections of one address besides its streams (STREAMS_PER_ADDRESS). Trusted proxies are exempt. */
  CONNECTIONS_PER_ADDRESS: integer(1, 1_000_000).default(200),
  READ_CACHE_BYTES: integer(0, 2 ** 40).default(64 * 1024 * 1024),

  /** Maximum concurrent live streams (Server-Sent Events and WebSockets together) of one address and of one account. */
  STREAMS_PER_ADDRESS: integer(1, 1_000_000).default(100),
  STREAMS_PER_ACCOUNT: integer(1, 1_000_000).default(20),
  /** Messages per second that one WebSocket client may send, with bursts of twice as many. */
  WS_MESSAGES_PER_SECOND: integer(1, 10_000).default(10),
  WS_HEARTBEAT_MS: integer(100, 600_000).default(15_000),
  /** The interval in which the credentials and plans of connected subscribers are verified again. */
  WS_RECHECK_MS: integer(50, 3_600_000).default(30_000),
  /** Maximum unread bytes of a WebSocket client; above this the server queues no more messages for it. */
  WS_BUFFER_BYTES: integer(1_024, 2 ** 30).default(256 * 1024),

  /** Signs session cookies. Sign-in requires it and SITE_URL. A new value ends all sessions. */
  AUTH_SECRET: secretText(32).optional(),
  SESSION_DAYS: integer(1, 365).default(7),
  ...oauthSettings("CODE_HOST", {
    authorization: "https://github.com/login/oauth/authorize",
    token: "https://github.com/login/oauth/access_token",
    userInfo: "https://api.github.com/user",
    scopes: "read:user",
    id: "id",
    handle: "login",
    tokenAuth: "post",
  }),
  ...oauthSettings("SOCIAL", {
    authorization: "https://x.com/i/oauth2/authorize",
    token: "https://api.x.com/2/oauth2/token",
    userInfo: "https://api.x.com/2/users/me",
    scopes: "users.read tweet.read",
    id: "data.id",
    handle: "data.username",
    tokenAuth: "basic",
  }),

  /** Sends the gas station's top-ups, which are disabled without it. The key needs only the station's relayer role. */
  RELAYER_PRIVATE_KEY: privateKey.optional(),
  GAS_STATION_MARKUP_BPS: integer(0, 10_000).default(300),
  /**
   * Maximum deviation of the pool's price from its time-weighted mean over GAS_STATION_TWAP_SECONDS, of the mean from the
   * indexed price, and between two RPC endpoints.
   */
  GAS_STATION_MAX_DEVIATION_BPS: integer(1, 10_000).default(200),
  GAS_STATION_TWAP_SECONDS: integer(1, 86_400).default(600),
  /** Maximum top-ups in 24 hours of a wallet and of a client address, and maximum failures among them. */
  GAS_STATION_WALLET_BUDGET: integer(1, 1_000_000).default(5),
  GAS_STATION_ADDRESS_BUDGET: integer(1, 1_000_000).default(50),
  GAS_STATION_FAILURE_BUDGET: integer(1, 1_000_000).default(5),
  /** Maximum amount that the station pays out and the relayer spends in 24 hours; the endpoints refuse further top-ups. */
  GAS_STATION_DAILY_CAP_WEI: wei(ether),
  /** The service warns when the station's balance is below this amount. */
  GAS_STATION_FLOAT_ALARM_WEI: wei(ether / 2n),
  /** The relayer sends nothing below the floor. The service warns above the ceiling, too much for a hot key. */
  RELAYER_FLOOR_WEI: wei(ether / 200n),
  RELAYER_CEILING_WEI: wei(ether),
  /** A transaction that is not mined in this time is replaced, at most RELAYER_MAX_REPLACEMENTS times. */
  RELAYER_STUCK_MS: integer(100, 3_600_000).default(30_000),
  RELAYER_MAX_REPLACEMENTS: integer(0, 20).default(5),
  RELAYER_POLL_MS: integer(10, 60_000).default(500),
  /** Base URL of a public https IPFS gateway; without it the ipfs documents of launches are not fetched. */
  IPFS_GATEWAY_URL: url(["https:"]).optional(),
  TOKEN_MANIFEST_POLL_MS: integer(10, 3_600_000).default(2_000),
  ...historySettings,
  ...imageSettings,
  ...keeperSettings,
  ...listingSettings,
  ...mailSettings,
  ...marketSettings,
  ...officialAssetSettings,
  ...paymentSettings,
  ...verifierSettings,
  ...webhookSettings,
  /** How long a stopping process is not ready and still serves, so that load balancers send it no more requests. */
  DRAIN_SECONDS: integer(0, 600).default(0),
  SHUTDOWN_TIMEOUT_MS: integer(100, 120_000).default(8_000),
});

export type Config = z.output<typeof environment>;

/**
 * An invalid configuration, which only the operator can correct; the process exits with `configExitCode`. The message lists
 * every problem on a line of its own, and never a secret.
 */
export class ConfigError extends Error {
  override name = "ConfigError";

  /** Each problem: the setting, a colon, the fault, and the remedy. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    const count = problems.length === 1 ? "one problem" : `${problems.length} problems`;
    super(`The configuration has ${count}:\n${problems.map((problem) => `  ${problem}`).join("\n")}`, options);
    this.problems = problems;
  }
}

/** Pairs of settings: only one of them would silently disable the feature. */
const pairs = [
  ["CODE_HOST_CLIENT_ID", "CODE_HOST_CLIENT_SECRET"],
  ["SOCIAL_CLIENT_ID", "SOCIAL_CLIENT_SECRET"],
] as const;

/**
 * Parses the environment.
 *
 * @throws ConfigError that names every invalid variable, and no value.
 */
export function parseConfig(env: Record<string, string | undefined>): Config {
  // An empty variable counts as unset (a compose file passes unset variables as empty); an empty list of scopes is valid.
  const isSet = (name: string) => env[name] !== undefined && (env[name] !== "" || name.endsWith("_SCOPES"));
  const parsed = environment.safeParse(Object.fromEntries(Object.entries(env).filter(([name]) => isSet(name))));
  const problems = (parsed.error?.issues ?? []).map(({ path: [name, entry], message }) => {
    if (!isSet(String(name))) return `${String(name)}: is not set; it ${message}`;
    return `${String(name)}: ${entry === undefined ? "" : `entry ${Number(entry) + 1} `}${message}`;
  });
  for (const [id, secret] of [...pairs, ...pairs.map(([first, second]) => [second, first] as const)]) {
    if (isSet(id) && !isSet(secret)) problems.push(`${secret}: is not set, but ${id} is; set both, or neither`);
  }
  problems.push(...findImageProblems(isSet, env), ...findListingProblems(isSet), ...findMailProblems(isSet));
  problems.push(...findPaymentProblems(isSet));
  if (parsed.success) problems.push(...findKeeperProblems(parsed.data));
  if (problems.length > 0) throw new ConfigError(problems);
  return parsed.data!;
}
