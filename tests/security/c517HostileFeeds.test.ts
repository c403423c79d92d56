import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { usePartner } from "../support/businesses/usePartner.ts";
import { startTrap } from "../support/security/untrustedServer.ts";
import { useReadApp } from "../support/server/useReadApp.ts";

const fixture = useReadApp();
const partner = usePartner();
const start = async (settings?: Record<string, string>, resolve?: (name: string) => Promise<string[]>) =>
  await partner.start(fixture.database.db, settings, resolve);
const untilError = async (code: string) =>
  await vi.waitFor(async () => expect((await partner.getDirectory()).sources[1].error).toBe(code), 60_000);
const untilItems = async (count: number): Promise<any[]> => {
  let items: any[] = [];
  await vi.waitFor(async () => {
    ({ items } = await partner.getDirectory());
    expect(items).toHaveLength(count);
  }, 60_000);
  return items;
};

describe("a feed of listings", () => {
  it("C5-10 C5-17 lists markup as text, and no link that is not https", async () => {
    const evil = "javascript:alert(document.cookie)";
    partner.sendJson({
      name: "<b>Partner</b>",
      items: [
        {
          id: "<script>",
          name: "<script>alert(1)</script>",
          description: "<img src=x onerror=alert(1)>\u202e\u0000",
          website: evil,
          image: "data:image/svg+xml,<svg onload=alert(1)>",
          url: evil,
          email: "<a>@b.c",
          phone: evil,
          links: { x: evil, github: "https://github.com@evil.example/", instagram: "https://www.instagram.com/ok" },
          hours: { toString: "x" },
          tags: ["<b>", evil],
          category: "__proto__",
          location: { lat: 1e9, lon: "NaN" },
        },
      ],
    });
    await start();
    const [listed] = await untilItems(1);
    expect(listed).toMatchObject({
      id: "partner_a:<script>",
      name: "<script>alert(1)</script>",
      description: "<img src=x onerror=alert(1)>",
      website: null,
      image: null,
      location: null,
      category: "other",
      links: { instagram: expect.any(String) },
      contact: { email: null, phone: null, hours: null },
      attribution: { source_name: "<b>Partner</b>", url: null },
    });
    expect(Object.keys(listed.links)).toEqual(["instagram"]);
    const { headers } = await partner.read.get("/directory");
    expect(headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
  });

  it("C5-08 that answers something else is refused, and what is listed stays", async () => {
    partner.sendJson({ items: [{ id: 1, name: "One" }] });
    await start();
    await untilItems(1);
    const answers: [string, unknown][] = [
      ["wrong_format", { error: "down for maintenance" }],
      ["wrong_format", { items: { length: 1e9 } }],
      ["wrong_format", null],
      ["wrong_format", "text"],
    ];
    for (const [code, body] of answers) {
      partner.sendJson(body);
      await untilError(code);
    }
    partner.answer = (_request, response) =>
      void response.writeHead(200, { "content-type": "application/json" }).end("[".repeat(1_000_000));
    await untilError("not_json");
    await untilItems(1);
  });

  it("C5-07 without an end, compressed without measure or slow is cut, and what is listed stays", async () => {
    partner.sendJson({ items: [{ id: 1, name: "One" }] });
    await start();
    await untilItems(1);
    const json = { "content-type": "application/json" };
    partner.answer = (_request, response) =>
      void response
        .writeHead(200, { ...json, "content-encoding": "gzip" })
        .end(gzipSync(Buffer.alloc(64 * 2 ** 20, " ")));
    await untilError("too_large");
    partner.answer = (_request, response) =>
      void response.writeHead(200, { ...json, "content-length": 2 ** 40 }).write("{");
    await untilError("too_large");
    partner.answer = (request, response) => {
      const page = Number(new URL(request.url!, "https://x").searchParams.get("page") ?? 0);
      response.writeHead(200, json).end(JSON.stringify({ items: [], next: `/feed?page=${page + 1}` }));
    };
    await untilError("too_many_pages");
    partner.sendJson({ items: Array.from({ length: 50_001 }, () => 0) });
    await untilError("too_many_entries");
    await untilItems(1);
  });

  it("C9-47 that costs too much CPU time within all other limits is ended, and what is listed stays", async () => {
    partner.sendJson({ items: [{ id: 1, name: "One" }] });
    await partner.start(fixture.database.db, {}, undefined, { maxCpuMs: 100 });
    await untilItems(1);
    const text = "a a\n".repeat(2_000);
    partner.sendJson({ items: Array.from({ length: 500 }, (_, id) => ({ id, name: `${id}`, description: text })) });
    await untilError("too_much_work");
    await untilItems(1);
  });

  it("C5-06 never leads to a private address: by its name, a redirect or a later page", async () => {
    const trap = await startTrap(partner.server.port);
    try {
      const target = `https://127.0.0.1:${trap.port}/`;
      partner.answer = (_request, response) =>
        void response.writeHead(302, { location: target, connection: "close" }).end();
      await start();
      await untilError("address_refused");
      partner.sendJson({ items: [], next: target });
      await untilError("foreign_page");
      partner.answer = (_request, response) => void response.writeHead(302, { location: "https://db.internal/" }).end();
      await untilError("url_refused");
      expect(trap.connections()).toBe(0);
    } finally {
      await trap.close();
    }
  });

  it("C5-06 resolves its name for each connection, and refuses a private answer", async () => {
    const trap = await startTrap(partner.server.port);
    let asked = 0;
    try {
      partner.answer = (_request, response) =>
        void response
          .writeHead(200, { "content-type": "application/json", connection: "close" })
          .end(JSON.stringify({ items: [{ id: 1, name: "One" }], next: "/feed?page=2" }));
      await start({}, async () => (asked++ === 0 ? ["127.0.0.2"] : ["127.0.0.1"]));
      await untilError("address_refused");
      expect(trap.connections()).toBe(0);
      await untilItems(0);
    } finally {
      await trap.close();
    }
  });

  it("C5-19 cannot take the id of another source, of an own listing, or of its own earlier entry", async () => {
    const own = "01a20215-0aaa-7d5c-9a3f-2b1c0d9e8f70";
    partner.answer = (request, response) => {
      const name = request.url === "/b" ? "B" : "A";
      const ids = ["1", "1", own, "partner_b:1", "partner_a:1", "legacy:0x1"];
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ items: ids.map((id, index) => ({ id, name: `${name}${index}` })) }));
    };
    await start({ PARTNER_B_URL: partner.server.url("/b") });
    const items = await untilItems(10);
    const found = Object.fromEntries(items.map(({ id, name }) => [id, name]));
    for (const [source, name] of [
      ["partner_a", "A"],
      ["partner_b", "B"],
    ]) {
      expect(found).toMatchObject({
        [`${source}:1`]: `${name}0`,
        [`${source}:${own}`]: `${name}2`,
        [`${source}:partner_b:1`]: `${name}3`,
      });
    }
    expect(items.every(({ id, source }) => id.startsWith(`${source}:`))).toBe(true);
    expect((await partner.read.get(`/businesses/${own}`)).status).toBe(404);
  });

  it("C5-35 a feed of this machine is read at the named origin only, and no redirect leads to it or away from it", async () => {
    const asked: string[] = [];
    const serve = async (answerWith: (url: string, response: ServerResponse) => void) => {
      const server = createServer((request, response) => {
        asked.push(request.url!);
        answerWith(request.url!, response);
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    };
    const inner = await serve((_url, response) => response.end("{}"));
    const local = await serve((url, response) => {
      if (url === "/away") response.writeHead(302, { location: `${inner.origin}/secret` }).end();
      else
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ items: [{ id: 1, name: "Local" }] }));
    });
    try {
      partner.answer = (_request, response) =>
        void response.writeHead(302, { location: `${local.origin}/from-outside` }).end();
      await start({ PARTNER_B_URL: `${local.origin}/feed`, PARTNER_C_URL: `${local.origin}/away` });
      expect((await untilItems(1))[0].id).toBe("partner_b:1");
      await vi.waitFor(async () => {
        const { sources } = await partner.getDirectory();
        expect(sources.slice(1, 4).map(({ error }: { error: string | null }) => error)).toEqual([
          "url_refused",
          null,
          "url_refused",
        ]);
      }, 60_000);
      expect(asked).not.toContain("/from-outside");
      expect(asked).not.toContain("/secret");
    } finally {
      local.server.close();
      inner.server.close();
    }
  });

  it.each(["http://localhost:9000/feed", "http://127.0.0.2/feed", "http://10.0.0.1/feed", "ftp://127.0.0.1/feed"])(
    "C5-35 %s is no address of a feed",
    async (url) => {
      await expect(start({ PARTNER_B_URL: url })).rejects.toThrow(/PARTNER_B_URL/);
    },
  );
});
