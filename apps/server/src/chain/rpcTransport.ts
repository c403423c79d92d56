import { isAscii } from "node:buffer";
import http from "node:http";
import https from "node:https";
import { RpcError } from "./rpcError.ts";

/** Sends one HTTP body to an endpoint and gives the text of its answer. Replaced by a generated chain in simulations. */
export type RpcTransport = (endpoint: number, body: string, signal: AbortSignal) => Promise<string>;

/** Connections that wait for the next request to one endpoint. */
const maxIdleSockets = 8;

/** Characters of the longest answer that is looked at for an error. */
const maxErrorLength = 100_000;

type Answer = { status: number; text: string };

/**
 * JSON-RPC over HTTP with kept-alive connections. By node:http, which hands over long answers at less than half of
 * fetch's cost; redirects are not followed, they would carry the key of a URL elsewhere.
 *
 * @throws RpcError transient for anything that kept the answer from arriving, range for 413 and for one that is too long.
 */
export function createRpcTransport(urls: readonly string[]): RpcTransport {
  const targets = urls.map((text) => {
    const url = new URL(text);
    const module = url.protocol === "https:" ? https : http;
    const agent = new module.Agent({ keepAlive: true, maxFreeSockets: maxIdleSockets });
    return { url, module, agent, withoutSecrets: createUrlRedactor([text]) };
  });
  return async (endpoint, body, signal) => {
    const { url, module, agent, withoutSecrets } = targets[endpoint]!;
    let answer: Answer;
    try {
      answer = await send(module, url, agent, body, signal);
    } catch (error) {
      // The message may quote the URL: only its code is passed on.
      const { code, name } = error as { code?: string; name: string };
      const kind = code === "ERR_STRING_TOO_LONG" ? "range" : "transient";
      throw new RpcError(kind, `RPC endpoint ${endpoint}: no answer (${code ?? name})`);
    }
    const { status } = answer;
    const text = isErrorBody(answer.text) ? withoutSecrets(answer.text) : answer.text;
    if (status >= 200 && status < 300) return text;
    // Some vendors send a JSON-RPC error with a 4xx status; its words say more than the status.
    if (status >= 400 && status !== 429 && text.startsWith("{") && text.includes('"error"')) return text;
    throw new RpcError(status === 413 ? "range" : "transient", `RPC endpoint ${endpoint}: HTTP ${status}`, status);
  };
}

/** An error, which may quote the URL that it was asked by; errors are short. */
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

/** @throws Error with a code when it is longer than a string can be (512 MiB). */
function decodeText(parts: readonly Buffer[]): string {
  const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  // Chain data is ASCII nearly always, and then needs no decoding.
  return bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
}

/** Parts of a URL shorter than this are words of its path, not keys. */
const minSecretLength = 12;

/**
 * A function that takes the secrets of URLs out of a text: user names and passwords, and long parts of path and query,
 * which is where vendors have their keys. What an endpoint says of a request may quote them.
 */
export function createUrlRedactor(urls: readonly string[]): (text: string) => string {
  const secrets = urls.flatMap((text) => {
    const { username, password, pathname, searchParams } = new URL(text);
    const parts = [...pathname.split("/"), ...searchParams.values()].filter(({ length }) => length >= minSecretLength);
    return [username, password, ...parts].flatMap((part) => [part, decodePart(part)]).filter(Boolean);
  });
  // The longest first: one may be a part of another.
  const distinct = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  return (text) => distinct.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
