import { describe, expect, test } from "vitest";
import { type LinkName, launchOptionsRequest, parseLink } from "./launchOptions.ts";

describe("parseLink", () => {
  test.each<[LinkName, string, string]>([
    ["x", "https://X.com:443/a/../tin", "https://x.com/tin"],
    ["x", "https://www.twitter.com/tin?lang=en", "https://www.twitter.com/tin?lang=en"],
    ["telegram", "https://t.me/+AbC", "https://t.me/+AbC"],
    ["discord", "https://discord.com/invite/tin", "https://discord.com/invite/tin"],
    ["farcaster", "https://warpcast.com/~/channel/tin", "https://warpcast.com/~/channel/tin"],
    ["github", "https://github.com/tin/bäume", "https://github.com/tin/b%C3%A4ume"],
    ["website2", "https://tin.example", "https://tin.example/"],
    ["website2", 'https://tin.example/<b>"#<i>', "https://tin.example/%3Cb%3E%22#%3Ci%3E"],
  ])("accepts the %s link %s and normalises it", (name, link, uri) => {
    expect(parseLink(name, link)).toMatchObject({ ok: true, uri });
    expect(parseLink(name, uri)).toMatchObject({ ok: true, uri });
  });

  test.each<[LinkName, string, string]>([
    ["x", "https://x.com.evil.example/tin", "host"],
    ["x", "https://evilx.com/tin", "host"],
    ["x", "https://www.www.x.com/tin", "host"],
    ["x", "https://x.com./tin", "host"],
    ["x", "https://x.com:8443/tin", "host"],
    ["x", "https://t.me/tin", "host"],
    ["x", "https://x.com", "path"],
    ["telegram", "https://t.me/?x=1#y", "path"],
    ["telegram", "https://t.me@evil.example/tin", "userinfo"],
    ["telegram", "tg://resolve?domain=tin", "scheme"],
    ["discord", "javascript:alert(1)//https://discord.gg/tin", "scheme"],
    ["github", "https://github.com\\@evil.example/tin", "backslash"],
    ["website2", "http://tin.example/", "scheme"],
    ["website2", "https://tin.example/a b", "space"],
    ["website2", "data:text/html,<script>", "scheme"],
  ])("rejects as the %s link %s: %s", (name, link, reason) => {
    expect(parseLink(name, link)).toMatchObject({ ok: false, reason });
  });
});

describe("launchOptionsRequest", () => {
  test("accepts an empty body, and null for every field", () => {
    const nulls = { initial_buy: null, partner: null, links: null, banner_uri: null, creator: null };
    expect(launchOptionsRequest.parse({})).toEqual({});
    expect(launchOptionsRequest.parse(nulls)).toEqual(nulls);
  });

  test.each([
    { initial_buy: { amount_in: "340282366920938463463374607431768211456", slippage_bps: 1 } },
    { initial_buy: { amount_in: "-1", slippage_bps: 1 } },
    { initial_buy: { amount_in: "0x1", slippage_bps: 1 } },
    { initial_buy: { amount_in: "1", slippage_bps: 0 } },
    { initial_buy: { amount_in: "1" } },
    { partner: `0x${"0".repeat(40)}` },
    { links: { x: `https://x.com/${"a".repeat(250)}` } },
    { links: { x: "" } },
    { banner_uri: "http://cdn.example/a.png" },
    { other: 1 },
  ])("rejects %j", (body) => {
    expect(launchOptionsRequest.safeParse(body).success).toBe(false);
  });
});
