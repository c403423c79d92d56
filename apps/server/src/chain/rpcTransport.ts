import { isAscii } from "node:buffer";
import http from "node:http";
import https from "node:https";
import { RpcError } from "./rpcError.ts";

/** Posts a body to an endpoint and returns the text of its response. Simulations replace it with a generated chain. */
export type RpcTransport = (endpoint: number, body: string, signal: AbortSignal) => Promise<string>;

/** Maximum idle keep-alive connections to one endpoint. */
const maxIdleSockets = 8;

/** Maximum length of a response that is searched for an error, in characters. */
const maxErrorLength = 100_000;

type Answer = { status: number; text: string };

/**
 * Creates a transport for JSON-RPC over HTTP with keep-alive connections. Uses node:http, which delivers long responses
 * at less than half the cost of fetch. Does not follow redirects, which would send the key in a URL to another host.
 *
 * @throws RpcError transient if no response arrives, range for status 413 or a response that is too long.
 */
export function createRpcTransport(urls: readonly string[]): RpcTransport {
  const targets = urls.map((text) => {
    const url = new URL(text);
    const module = url.protocol === "https:" ? https : http;
    const agent = new module.Agent({ keepAlive: true, maxFreeSockets: maxIdleSockets });
    return { url, module, agent, redact: createUrlRedactor([text]) };
  });
  return async (endpoint, body, signal) => {
    const { url, module, agent, redact } = targets[endpoint]!;
    let answer: Answer;
    try {
      answer = await send(module, url, agent, body, signal);
    } catch (error) {
      // Uses only the code, because the message may contain the URL.
      const { code, name } = error as { code?: string; name: string };
      const kind = code === "ERR_STRING_TOO_LONG" ? "range" : "transient";
      throw new RpcError(kind, `RPC endpoint ${endpoint}: no answer (${code ?? name})`);
    }
    const { status } = answer;
    const text = isErrorBody(answer.text) ? redact(answer.text) : answer.text;
    if (status >= 200 && status < 300) return text;
    // Some vendors send a JSON-RPC error with a 4xx status; its message is more specific than the status.
    if (status >= 400 && status !== 429 && text.startsWith("{") && text.includes('"error"')) return text;
    throw new RpcError(status === 413 ? "range" : "transient", `RPC endpoint ${endpoint}: HTTP ${status}`, status);
  };
}

/** Whether a response is an error, which may contain the URL. Errors are short. */
function isErrorBody(text: string): boolean {
  return text.length < maxErrorLength && text.includes('"error"');
}

function send(
  module: typeof http | typeof https,
  url: URL,
  agent: http.Agent,
  body: string,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string | number> = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    if (url.username !== "") {
      const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
      headers.authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
    }
    const request = module.request(
      {
        hostname: url.hostname.replace(/^\[|\]$/g, ""),
        port: url.port,
        path: url.pathname + url.search,
        method: "POST",
        agent,
        headers,
        signal,
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.once("error", reject);
        response.once("close", () => {
          if (!response.complete) reject(Object.assign(new Error("broke off"), { code: "ECONNRESET" }));
        });
        response.once("end", () => {
          try {
            resolve({ status: response.statusCode ?? 0, text: decodeText(parts) });
          } catch (error) {
            reject(error as Error);
          }
        });
      },
    );
    request.once("error", reject);
    request.end(body);
  });
}

/** @throws Error with a code if the text exceeds the maximum string length (512 MiB). */
function decodeText(parts: readonly Buffer[]): string {
  const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  // Chain data is nearly always ASCII, for which latin1 is the cheapest decoder.
  return bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
}

/** Shorter parts of a URL are path names, not keys. */
const minSecretLength = 12;

/**
 * Creates a function that removes the secrets of URLs from a text: user names, passwords, and long parts of path and
 * query, which contain vendors' keys. An endpoint's error message may contain these secrets.
 */
export function createUrlRedactor(urls: readonly string[]): (text: string) => string {
  const secrets = urls.flatMap((text) => {
    const { username, password, pathname, searchParams } = new URL(text);
    const parts = [...pathname.split("/"), ...searchParams.values()].filter(({ length }) => length >= minSecretLength);
    return [username, password, ...parts].flatMap((part) => [part, decodePart(part)]).filter(Boolean);
  });
  // Longest first, because a secret may be part of another secret.
  const distinct = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  return (text) => distinct.reduce((cleaned, secret) => cleaned.replaceAll(secret, "[redacted]"), text);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
