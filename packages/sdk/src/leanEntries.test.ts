import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { endpoints } from "@slipway/protocol/endpoints";
import { operations } from "@slipway/protocol/operations";
import type { OperationDefinition } from "@slipway/protocol/operations/operationDefinition";
import { build, type Rolldown } from "vite";
import { beforeAll, describe, expect, it } from "vitest";
import { type Client, type ClientOptions, createClient } from "./createClient.ts";
import { createLazyClient, type LoadedEndpoints } from "./createLazyClient.ts";
import { createLeanClient } from "./createLeanClient.ts";
import { methodNames } from "./createMethods.ts";

const folder = dirname(fileURLToPath(import.meta.url));
const packages = join(folder, "../..");
const importPattern =
  /^(?:import|export)\s(?!type\b)[^;'"]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;

/** Collects the files and packages that a file loads at run time, by following its imports; type imports are erased. */
function walkImports(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const match of readFileSync(path, "utf8").matchAll(importPattern)) {
    const specifier = match[1] ?? match[2] ?? match[3]!;
    const own = /^@slipway\/(\w+)\/([\w/]+)$/.exec(specifier);
    if (specifier.startsWith(".")) walkImports(join(dirname(path), specifier), found);
    else if (own) walkImports(join(packages, own[1]!, "src", `${own[2]}.ts`), found);
    else found.add(specifier);
  }
  return found;
}

const leanEntries = ["createLeanClient", "createLazyClient", "leanStreamEvents", "applyMessage", "connectRisk"];

describe.each(leanEntries)("%s", (entry) => {
  it("loads no schema library, not even through another module", () => {
    const packagesOfOthers = [...walkImports(join(folder, `${entry}.ts`))].filter((name) => !name.startsWith("/"));
    expect(packagesOfOthers).toEqual(entry === "leanStreamEvents" ? ["eventsource-parser"] : []);
  });
});

it("the walk of imports finds the schema library behind the checked client", () => {
  expect([...walkImports(join(folder, "createClient.ts"))]).toContain("zod");
});

describe("the bundle of a page", () => {
  /** Returns the size of the minified and compressed bundle of some entries, as a page downloads it. */
  async function getGzipSize(entries: readonly string[]): Promise<number> {
    const entry = entries.map((name) => join(folder, `${name}.ts`));
    const rolldownOptions = { external: [], output: { minify: true } };
    const built = await build({
      ...{ configFile: false, logLevel: "error" },
      build: { write: false, lib: { entry, formats: ["es"] }, rolldownOptions },
    });
    const [{ output }] = built as [Rolldown.RolldownOutput];
    return output.reduce((sum, chunk) => sum + ("code" in chunk ? gzipSync(chunk.code).length : 0), 0);
  }

  it("has at most 8 kB of gzip for the lean client", async () => {
    expect(await getGzipSize(["createLeanClient"])).toBeLessThanOrEqual(8_000);
  });

  it("has at most 12 kB of gzip with streams and the application of their messages", async () => {
    expect(await getGzipSize(leanEntries)).toBeLessThanOrEqual(12_000);
  });
});

describe("the lean and the checked client", () => {
  type Sent = { url: string; method: string; headers: [string, string][]; body: unknown };

  /** Calls every operation with one input, which has each parameter of a path, and records the requests. */
  async function callAll(create: typeof createClient): Promise<Record<string, Sent>> {
    const sent: Record<string, Sent> = {};
    let name = "";
    const client = create({
      baseUrl: "https://launch.example/api/v1/launchpad",
      apiKey: "slip_test",
      fetch: async (url, init) => {
        const headers = [...(init!.headers as Headers)] as [string, string][];
        const body = init!.body instanceof FormData ? [...init!.body.keys()] : init!.body;
        sent[name] = { url: String(url), method: init!.method!, headers, body };
        return new Response("{}");
      },
    });
    const input = { address: "0xAa/b", id: "a b", hash: "0x12", provider: "social", file: new Uint8Array(1), limit: 3 };
    for (const each of Object.keys(client)) {
      name = each;
      const call = client[each as keyof typeof client] as (input: object, options: object) => Promise<unknown>;
      // The checked client refuses this answer, after the request.
      await call(input, { idempotencyKey: "a-test-key", ifMatch: '"1"' }).catch(() => undefined);
    }
    return sent;
  }

  let checked: Record<string, Sent>;
  beforeAll(async () => {
    checked = await callAll(createClient);
  });

  it("have the same operations and send the same requests", async () => {
    expect(Object.keys(checked)).toEqual(methodNames);
    expect(await callAll(createLeanClient)).toEqual(checked);
  });

  it("have the same requests if the table of endpoints loads later, once", async () => {
    const loaded: LoadedEndpoints = { getConfig: endpoints.getConfig };
    let loads = 0;
    const load = async () => {
      loads += 1;
      Object.assign(loaded, endpoints);
    };
    const create = (options: ClientOptions) => {
      const client = createLazyClient(options, loaded, load);
      return Object.fromEntries(methodNames.map((name) => [name, client[name]])) as Client;
    };
    expect(await callAll(create)).toEqual(checked);
    expect(loads).toBe(1);
  });

  it("of which the lazy one reports a table that does not load, and loads it at the next call", async () => {
    const loaded: LoadedEndpoints = {};
    let isOnline = false;
    const load = async () => {
      if (!isOnline) throw new Error("the file did not load");
      Object.assign(loaded, endpoints);
    };
    const options = { baseUrl: "/api/v1/launchpad", fetch: async () => new Response("{}") };
    const client = await Promise.resolve(createLazyClient(options, loaded, load));
    await expect(client.getConfig()).rejects.toThrow("the file did not load");
    isOnline = true;
    expect(await client.getConfig()).toEqual({});
  });

  it("differ only in their check: every answer except a picture has a schema", () => {
    const withoutSchema = methodNames.filter((name) => {
      const { answers }: OperationDefinition = operations[name];
      return Object.values(answers).some(({ schema }) => schema === undefined);
    });
    expect(withoutSchema).toEqual(["getReceiveCode"]);
  });

  it("returns an answer unchanged, and throws the errors of the service", async () => {
    const answers = [new Response('{"of":"a later version"}'), new Response("{}", { status: 503 })];
    const client = createLeanClient({ baseUrl: "/api/v1/launchpad", fetch: async () => answers.shift()! });
    expect(await client.getConfig()).toEqual({ of: "a later version" });
    await expect(client.getConfig()).rejects.toMatchObject({ name: "ApiError", status: 503 });
  });
});
