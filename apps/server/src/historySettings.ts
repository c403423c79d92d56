import ipaddr from "ipaddr.js";
import { z } from "zod";
import { Secret } from "./secret.ts";
import { integer } from "./settingTypes.ts";

/** The ClickHouse server, or a node of the cluster, that has old trades and candles. */
export type HistoryServer = {
  /** http or https, host and port. */
  origin: string;
  database: string;
  user: string;
  password: Secret;
};

const form =
  "must be https://USER:PASSWORD@HOST:PORT/DATABASE, with a name of letters, digits and _ as the database; " +
  "http only to localhost, a private address, or a host name without a dot or with the end .internal, .local or .svc";

/** Whether a host is in a private network, as far as its name shows: http would send the password in plain text. */
function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (ipaddr.isValid(host)) return ["loopback", "private", "uniqueLocal"].includes(ipaddr.process(host).range());
  return !host.includes(".") || /\.(?:internal|local|svc)$/.test(host);
}

const decode = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

const historyUrl = z.string().transform((text, context): HistoryServer => {
  const parsed = URL.parse(text);
  const database = parsed?.pathname.slice(1) || "slipway";
  const [user, password] = parsed ? [decode(parsed.username), decode(parsed.password)] : [null, null];
  const isSafe = parsed?.protocol === "https:" || (parsed?.protocol === "http:" && isPrivateHost(parsed.hostname));
  const isBare = parsed !== null && parsed.search === "" && parsed.hash === "" && databaseName.test(database);
  // A header carries the credentials.
  const isPrintable = user !== null && password !== null && /^[\x20-\x7e]*$/.test(user + password);
  if (!isSafe || !isBare || !isPrintable) {
    context.addIssue(form);
    return z.NEVER;
  }
  return { origin: parsed.origin, database, user: user || "default", password: Secret.fromText(password) };
});

const databaseName = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/** Settings of the history engine. `docs/history.md` explains them. */
export const historySettings = {
  HISTORY_URL: historyUrl.optional(),
  /** The cluster's name in the engine; default: one server. */
  HISTORY_CLUSTER: z.string().regex(databaseName, "must be a cluster's name: letters, digits and _").optional(),
  /** The time in which the engine must answer a read. */
  HISTORY_TIMEOUT_MS: integer(100, 60_000).default(5_000),
  /** The worker copies a range when its blocks are final and it spans this many seconds. */
  HISTORY_RANGE_SECONDS: integer(0, 86_400).default(3_600),
  HISTORY_POLL_MS: integer(10, 3_600_000).default(10_000),
};
