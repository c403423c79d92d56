import { type CheckAnswer, createCheckAnswer } from "./checkAnswer.ts";
import { findErrorTextFault } from "./errorText.ts";
import { fetchWithRetry } from "./fetchWithRetry.ts";
import { fetchOpenApi, type OpenApi, type Operation } from "./openApi.ts";
import { recordAnswer } from "./recordAnswer.ts";

/** The target of calls, with the key. */
export type Service = {
  siteUrl: string;
  baseUrl: string;
  apiKey: string;
  adminKey?: string | null;
  /** Signs in and returns the headers of a new session. If omitted, account operations use the key. */
  signIn?: (needsPlan: boolean) => Promise<Record<string, string>>;
};

export type Call = {
  /** Values for the `{names}` of the path. */
  path?: Record<string, string>;
  query?: Record<string, string | number>;
  /** The raw query, instead of `query`. */
  rawQuery?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** The raw body, instead of `body`. */
  rawBody?: string;
  /** The part `file` of a multipart/form-data body, instead of `body`. */
  file?: Uint8Array<ArrayBuffer>;
  /**
   * Another key; null: no credential. Default: the service's key for guarded operations, its admin key for admin
   * operations, and a new session for operations of the account itself.
   */
  key?: string | null;
  /** The test expects a 429, so do not wait and retry. */
  wants429?: true;
};

export type Answer = {
  status: number;
  headers: Headers;
  /** The parsed JSON; undefined without JSON. */
  body: any;
  bytes: Uint8Array;
};

/** The answers during a test: `GET /tokens 200`. */
export type Observed = Set<string>;

export type Caller = {
  api: OpenApi;
  call: (operation: string, call?: Call) => Promise<Answer>;
  observed: Observed;
};

/**
 * Calls operations of a service; each answer must be declared in the OpenAPI document, and each error must be readable.
 *
 * @param known - The document, if the service cannot serve it.
 */
export async function createCaller(service: Service, known?: OpenApi): Promise<Caller> {
  const api = known ?? (await fetchOpenApi(service.baseUrl));
  const checkAnswer = createCheckAnswer(api);
  const observed: Observed = new Set();
  return { api, observed, call: (name, call = {}) => send(service, api, checkAnswer, observed, name, call) };
}

async function send(
  service: Service,
  api: OpenApi,
  checkAnswer: CheckAnswer,
  observed: Observed,
  name: string,
  call: Call,
): Promise<Answer> {
  const operation = api.operations.get(name);
  if (!operation) throw new Error(`OpenAPI has no operation ${name}`);
  const response = await (call.wants429 ? fetch : fetchWithRetry)(getUrl(service, operation, call), {
    method: operation.method,
    headers: await getHeaders(service, operation, call),
    body: getBody(call),
    // A redirect is treated like any other answer.
    redirect: "manual",
  });
  const bytes = await getBytes(response);
  const body = getJson(response, bytes);
  observed.add(`${name} ${response.status}`);
  const broken = checkAnswer(operation, response.status, body, response.headers);
  recordAnswer(operation, call, response, body);
  if (broken !== null) throw new Error(`${broken}\n${new TextDecoder().decode(bytes).slice(0, 500)}`);
  const fault = (body as any)?.error === undefined ? null : findErrorTextFault((body as any).error);
  if (fault !== null) throw new Error(`${name} ${response.status}: ${fault}`);
  return { status: response.status, headers: response.headers, body, bytes };
}

function getBody({ rawBody, body, file }: Call): string | FormData | null {
  if (rawBody !== undefined || file === undefined) return rawBody ?? (body === undefined ? null : JSON.stringify(body));
  const form = new FormData();
  form.set("file", new Blob([file]), "file");
  return form;
}

/** Reads the whole body, or the first chunk of an endless stream. */
async function getBytes(response: Response): Promise<Uint8Array> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    return new Uint8Array(await response.arrayBuffer());
  }
  const reader = response.body!.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return value ?? new Uint8Array();
}

function getUrl(service: Service, operation: Operation, { path = {}, query = {}, rawQuery }: Call): string {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? `{${name}}`);
  const search =
    rawQuery ?? String(new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])));
  return `${operation.site ? service.siteUrl : service.baseUrl}${filled}${search === "" ? "" : `?${search}`}`;
}

async function getHeaders(service: Service, operation: Operation, call: Call): Promise<Record<string, string>> {
  const isAdministration = operation.path.startsWith("/api/admin/");
  const own = isAdministration ? (service.adminKey ?? service.apiKey) : service.apiKey;
  // The account of the key has the plan; an account that has just signed in has none.
  const needsPlan = operation.path.startsWith("/api/risk");
  const needsSession = call.key === undefined && operation.guarded && operation.site && !isAdministration && !needsPlan;
  const session = needsSession ? ((await service.signIn?.(operation.path === "/api/alerts")) ?? null) : null;
  const key = call.key === undefined ? (operation.guarded && session === null ? own : null) : call.key;
  return {
    ...session,
    ...(call.body === undefined && call.rawBody === undefined ? {} : { "content-type": "application/json" }),
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    ...call.headers,
  };
}

function getJson(response: Response, bytes: Uint8Array): unknown {
  if (!response.headers.get("content-type")?.startsWith("application/json") || bytes.length === 0) return undefined;
  return JSON.parse(new TextDecoder().decode(bytes));
}
