import fc from "fast-check";
import type { Operation } from "../conformance/openApi.ts";
import type { Example, FuzzTarget } from "./fuzzTarget.ts";
import { hostileBodies, hostileTexts, hostileValue } from "./hostileValues.ts";
import type { Schema, Values } from "./schemaValues.ts";

/** How a request was made: well-formed, with one change, or hostile. */
export type Kind = "valid" | "nearly valid" | "hostile";

/** A request as sent over the wire; headers and parameters in order, with repetitions. */
export type FuzzRequest = {
  kind: Kind;
  operation: string;
  method: string;
  path: Record<string, string>;
  query: [name: string, value: string][];
  headers: [name: string, value: string][];
  /** The text of the body; null: no body. */
  body: string | null;
  credential: Credential;
};

/** The credential of a request; only `own` and, from this site's own pages, `session` authorize anything. */
export type Credential = "own" | "session" | "foreign session" | "none" | "unknown" | "malformed" | "basic" | "twice";

type Parts = Pick<FuzzRequest, "path" | "query" | "headers"> & { body: Record<string, unknown> | null };

/** Returns requests from well-formed to hostile for an operation of the document. */
export function getRequests(operation: Operation, target: FuzzTarget, values: Values): fc.Arbitrary<FuzzRequest> {
  const toRequest = (kind: Kind, parts: Parts): FuzzRequest => ({
    kind,
    operation: operation.name,
    method: operation.method,
    ...parts,
    ...(operation.takesFile
      ? { headers: [fileType, ...parts.headers], body: toFileBody(tinyGif) }
      : {
          headers: parts.body === null ? parts.headers : [["content-type", "application/json"], ...parts.headers],
          body: parts.body === null ? null : JSON.stringify(parts.body),
        }),
    credential: operation.guarded ? "own" : "none",
  });
  // Only people have an account's pages open; integrators have keys.
  const hasSessions = target.walletKey !== null && operation.guarded && /^\/api\/a(uth|ccount)/.test(operation.path);
  const bySession = (request: FuzzRequest) =>
    fc.constantFrom<Credential[]>(...(hasSessions ? (["session", "session", "own"] as const) : [request.credential]));
  const sent = (kind: Kind, parts: Parts) => {
    const request = toRequest(kind, parts);
    return bySession(request).map((credential): FuzzRequest => ({ ...request, credential }));
  };
  const valid = validParts(operation, target.examples[operation.name] ?? [], values);
  return fc.oneof(
    { weight: 6, arbitrary: valid.chain((parts) => sent("valid", parts)) },
    {
      weight: 5,
      arbitrary: valid.chain((parts) =>
        sent("nearly valid", parts).chain((request) => changed(operation, request, parts)),
      ),
    },
    {
      weight: 3,
      arbitrary: valid.chain((parts) => sent("hostile", parts).chain((request) => hostile(operation, request))),
    },
  );
}

const fileType: [string, string] = ["content-type", "multipart/form-data; boundary=slipway-fuzz"];
/** A GIF of one pixel whose bytes are all ASCII: it has no colour table. */
const tinyGif = Buffer.from("474946383961010001000000002c00000000010001000002024401003b", "hex").toString("latin1");

const toFileBody = (content: string, name = "file", more = "") =>
  `--slipway-fuzz\r\nContent-Disposition: form-data; name="${name}"; filename="x.gif"\r\n${more}\r\n${content}\r\n--slipway-fuzz--\r\n`;

/** Faulty uploads: a byte of the picture, its length, its part, the form, or the type is wrong. */
function changedUploads(request: FuzzRequest): fc.Arbitrary<FuzzRequest>[] {
  const at = fc.integer({ min: 0, max: tinyGif.length });
  const ascii = fc.string({ unit: "binary-ascii", maxLength: 12 });
  const withBody = (body: string): FuzzRequest => ({ ...request, body });
  return [
    fc.tuple(at, at, ascii).map(([from, length, put]) => {
      return withBody(toFileBody(tinyGif.slice(0, from) + put + tinyGif.slice(from + length)));
    }),
    fc
      .tuple(at, ascii)
      .map(([from, put]) => withBody(toFileBody(tinyGif.slice(0, from) + put + tinyGif.slice(from + 1)))),
    ascii.map((name) => withBody(toFileBody(tinyGif, name))),
    ascii.map((header) => withBody(toFileBody(tinyGif, "file", `${header}: x\r\n`))),
    fc.integer({ min: 0, max: 150 }).map((length) => withBody(toFileBody(tinyGif).slice(0, length))),
    fc.constant(withBody(toFileBody(tinyGif).replace("--slipway-fuzz--\r\n", toFileBody(tinyGif)))),
    fc.constantFrom(...contentTypes).map((type) => ({
      ...request,
      headers: [["content-type", type] as [string, string], ...request.headers.slice(1)],
    })),
  ];
}

/** Headers in lower case, as in the examples. */
const toKey = (where: string, name: string) => (where === "header" ? name.toLowerCase() : name);

/** Parameters and a body that the document allows; mostly with values that belong together in an example. */
function validParts(operation: Operation, examples: readonly Example[], values: Values): fc.Arbitrary<Parts> {
  const { parameters = [], requestBody } = operation.about;
  const schema = requestBody?.content["application/json"]?.schema as Schema | undefined;
  const named = (where: string) =>
    fc.record(
      Object.fromEntries(
        parameters
          .filter((parameter) => parameter.in === where)
          .map(({ name, schema: one }) => [toKey(where, name), values(one as Schema, name).map(String)]),
      ),
      {
        requiredKeys: parameters
          .filter((one) => one.in === where && one.required)
          .map(({ name }) => toKey(where, name)) as never[],
      },
    ) as fc.Arbitrary<Record<string, string>>;
  const made = fc.record({
    path: named("path"),
    query: named("query"),
    headers: named("header"),
    body: (schema ? values(schema) : fc.constant(null)) as fc.Arbitrary<Record<string, unknown> | null>,
  });
  const example: fc.Arbitrary<Example> = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<Example[]>(...(examples.length > 0 ? examples : [{}])) },
    { weight: 1, arbitrary: fc.constant({}) },
  );
  return fc.tuple(made, example).map(([{ path, query, headers, body }, one]) => ({
    path: { ...path, ...one.path },
    query: Object.entries({ ...query, ...one.query }),
    // A header value must be printable text of one byte a character.
    headers: Object.entries({ ...headers, ...one.headers }).map(([name, value]) => [
      name,
      value.replace(/[^\x21-\x7e]/g, "~"),
    ]),
    body: body === null ? null : { ...body, ...one.body },
  }));
}

const pickOne = (items: readonly unknown[]) => fc.integer({ min: 0, max: Math.max(0, items.length - 1) });

/** A well-formed request with one change. */
function changed(operation: Operation, request: FuzzRequest, { body, query, path }: Parts): fc.Arbitrary<FuzzRequest> {
  const withBody = (next: unknown) => ({ ...request, body: JSON.stringify(next) });
  const text = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ maxLength: 60 }));
  const ways: fc.Arbitrary<FuzzRequest>[] = [
    fc.tuple(fc.constantFrom(...oddHeaders)).map(([header]) => ({ ...request, headers: [...request.headers, header] })),
    fc.tuple(fc.constantFrom("x", "fields", "_", "limit", "token"), text).map(([name, value]) => ({
      ...request,
      query: [...request.query, [name, value] as [string, string]],
    })),
  ];
  if (operation.guarded) {
    const wrong = ["none", "unknown", "malformed", "basic", "twice", "foreign session"] as const;
    ways.push(fc.constantFrom(...wrong).map((credential) => ({ ...request, credential })));
  }
  if (operation.takesFile) ways.push(...changedUploads(request));
  if (body !== null) {
    const keys = Object.keys(body);
    ways.push(
      fc.tuple(pickOne(keys), hostileValue).map(([at, value]) => withBody({ ...body, [keys[at] ?? "x"]: value })),
      pickOne(keys).map((at) => withBody(Object.fromEntries(Object.entries(body).filter((_, index) => index !== at)))),
      fc.tuple(text, hostileValue).map(([key, value]) => withBody({ ...body, [key]: value })),
      fc.constantFrom([body], { body }, [[body]]).map(withBody),
      pickOne(keys).map((at) => ({
        ...request,
        body: JSON.stringify(body).replace(/\}$/, `,${again(body, keys[at])}}`),
      })),
      fc.constantFrom(...contentTypes).map((type) => ({
        ...request,
        headers: [["content-type", type] as [string, string], ...request.headers.slice(1)],
      })),
    );
  }
  if (query.length > 0) {
    ways.push(
      fc
        .tuple(pickOne(query), text)
        .map(([at, value]) => ({ ...request, query: query.with(at, [query[at]![0], value]) })),
      pickOne(query).map((at) => ({ ...request, query: [...query, query[at]!] })),
      pickOne(query).map((at) => ({ ...request, query: query.toSpliced(at, 1) })),
    );
  }
  for (const name of Object.keys(path)) {
    ways.push(text.filter(isSegment).map((value) => ({ ...request, path: { ...path, [name]: value } })));
  }
  if (request.headers.some(([name]) => name === "idempotency-key")) {
    const keys = ["short", "x".repeat(129), "  ", "%00%00%00%00%00", "\u00ff".repeat(20)];
    const others = request.headers.filter(([name]) => name !== "idempotency-key");
    ways.push(
      fc.constantFrom(...keys).map((key) => ({ ...request, headers: [...others, ["idempotency-key", key]] })),
      fc.constant({ ...request, headers: others }),
      fc.constant({ ...request, headers: [...request.headers, ["idempotency-key", "another-key-1"]] }),
    );
  }
  return fc.oneof(...ways);
}

/** Repeats a member, for a body with a duplicate key. */
const again = (body: Record<string, unknown>, key = "x") => `${JSON.stringify(key)}:${JSON.stringify(body[key] ?? 1)}`;

/** Such values would reach another path than this segment's own. */
const isSegment = (value: string) => value !== "" && value !== "." && value !== ".." && value.isWellFormed();

function hostile(operation: Operation, request: FuzzRequest): fc.Arbitrary<FuzzRequest> {
  const body = fc.oneof(fc.constantFrom(...hostileBodies), fc.json(), fc.string({ unit: "binary", maxLength: 200 }));
  const parameters = fc.array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom(...request.query.map(([name]) => name), "a[b]", "__proto__", "a"),
        fc.string({ maxLength: 10 }),
      ),
      fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: "binary", maxLength: 40 })),
    ),
    { maxLength: 6 },
  );
  return fc.record({
    kind: fc.constant("hostile" as const),
    operation: fc.constant(request.operation),
    method: fc.constant(request.method),
    path: fc.constant(request.path),
    query: fc.oneof(fc.constant(request.query), parameters),
    headers: fc
      .subarray([...oddHeaders], { maxLength: 4 })
      .map((headers) => [...request.headers, ...headers] as FuzzRequest["headers"]),
    body:
      operation.hasBody || operation.takesFile
        ? fc.option(body, { nil: request.body, freq: 5 })
        : fc.option(body, { freq: 3 }),
    credential: fc.constantFrom(request.credential, "none", "unknown"),
  });
}

const contentTypes = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json; charset=utf-16",
  "application/jsonp",
  "application/xml",
  "*/*",
  "json",
  ";",
] as const;

const oddHeaders: readonly [string, string][] = [
  ["if-none-match", "*"],
  ["if-none-match", '"a", W/"b"'],
  ["accept", "application/xml"],
  ["accept-encoding", "gzip, br, x"],
  ["content-encoding", "gzip"],
  ["origin", "https://evil.example"],
  ["origin", "null"],
  ["referer", "https://evil.example/?token=x"],
  ["x-forwarded-for", "1.2.3.4, ::1, not an address"],
  ["x-forwarded-host", "evil.example"],
  ["x-forwarded-proto", "gopher"],
  ["x-http-method-override", "DELETE"],
  ["x-request-id", "<script>"],
  ["cookie", "slipway.session_token=x.y; a=b"],
  ["cookie", "=;=;=\u00ff"],
  ["range", "bytes=0-1"],
  ["last-event-id", "999999999999999999999"],
  ["last-event-id", "x"],
  ["upgrade-insecure-requests", "1"],
  ["x-long", "v".repeat(4_000)],
];
