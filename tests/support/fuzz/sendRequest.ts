import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import type { Operation } from "../conformance/openApi.ts";
import type { FuzzTarget } from "./fuzzTarget.ts";
import type { FuzzRequest } from "./requests.ts";

export type FuzzAnswer = {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** Milliseconds since the epoch. */
  sentAt: number;
  answeredAt: number;
};

/** The target of requests, with the credentials. */
export type Service = Pick<FuzzTarget, "siteUrl" | "baseUrl" | "apiKey"> & {
  /** The cookie of a session; null without a session. */
  cookie: string | null;
};

const timeoutMs = 60_000;
const agent = new Agent({ keepAlive: true, maxSockets: 4 });

/** Returns the request's URL, with every part encoded. */
export function getUrl(service: Service, operation: Operation, { path, query }: FuzzRequest): string {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
  const search = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&");
  return `${operation.site ? service.siteUrl : service.baseUrl}${filled}${search === "" ? "" : `?${search}`}`;
}

/** A lone surrogate has no encoding: encodes it as the bytes that careless clients send. */
const encoded = (text: string) => (text.isWellFormed() ? encodeURIComponent(text) : "%ed%a0%80");

/** Returns all headers of the request, with the credential's header. */
function getHeaders(service: Service, { headers, credential }: FuzzRequest): [string, string][] {
  const bearer = (...keys: string[]) => keys.map((key): [string, string] => ["authorization", key]);
  const cookie: [string, string][] = service.cookie === null ? [] : [["cookie", service.cookie]];
  const credentials: Record<FuzzRequest["credential"], [string, string][]> = {
    own: bearer(`Bearer ${service.apiKey}`),
    session: [...cookie, ["origin", service.siteUrl]],
    "foreign session": [...cookie, ["origin", "https://evil.example"]],
    none: [],
    unknown: bearer(`Bearer slip_${"x".repeat(40)}`),
    malformed: bearer("Bearer  \u00ff,"),
    basic: bearer(`Basic ${Buffer.from("a:b").toString("base64")}`),
    twice: bearer("Bearer slip_unknown-unknown", `Bearer ${service.apiKey}`),
  };
  return [...headers, ...credentials[credential]];
}

/** Sends a request unchanged; reads only the first chunk of an endless answer. */
export async function sendRequest(service: Service, operation: Operation, request: FuzzRequest): Promise<FuzzAnswer> {
  const sentAt = Date.now();
  const url = new URL(getUrl(service, operation, request));
  const body = request.body === null ? null : Buffer.from(request.body, "utf8");
  const headers = getHeaders(service, request).flat();
  // Names and values alternate, so that a name may occur twice.
  headers.push("host", url.host);
  if (body !== null || request.method !== "GET") headers.push("content-length", String(body?.length ?? 0));
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = httpRequest(url, { method: request.method, headers, agent, timeout: timeoutMs }, resolve);
    call.on("timeout", () => call.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    call.on("error", reject);
    call.end(body ?? undefined);
  });
  const text = await getText(response);
  return {
    status: response.statusCode!,
    headers: response.headers as Record<string, string>,
    text,
    sentAt,
    answeredAt: Date.now(),
  };
}

async function getText(response: IncomingMessage): Promise<string> {
  const isStream = response.headers["content-type"]?.startsWith("text/event-stream");
  const chunks: Buffer[] = [];
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    if (isStream) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Formats the request as a shell command. */
export function getCurl(service: Service, operation: Operation, request: FuzzRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const hidden = { ...service, apiKey: "$API_KEY", cookie: service.cookie === null ? null : "$COOKIE" };
  const headers = getHeaders(hidden, request).map(([name, value]) => {
    const text = `${name}: ${value}`;
    return /\$(API_KEY|COOKIE)/.test(value) ? `-H "${text}"` : `-H ${quoted(text)}`;
  });
  const body = request.body === null ? [] : [`--data-binary ${quoted(request.body)}`];
  const parts = [`curl -i -g -X ${request.method}`, quoted(getUrl(service, operation, request)), ...headers, ...body];
  return parts.join(" ");
}
