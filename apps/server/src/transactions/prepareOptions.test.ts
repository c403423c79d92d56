import { type LaunchOptionsRequest, launchOptionsRequest } from "@slipway/protocol/launchOptions";
import { describe, expect, it } from "vitest";
import { prepareOptions } from "./prepareOptions.ts";

const wallet = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const none = { x: null, telegram: null, discord: null, farcaster: null, github: null, website2: null };

describe("prepareOptions", () => {
  it("returns null for all omitted fields", () => {
    const empty = { initial_buy: null, partner: null, links: none, banner_uri: null, creator: null };
    expect(prepareOptions({})).toEqual(empty);
    expect(prepareOptions({ links: null, initial_buy: null })).toEqual(empty);
  });

  it("checksums addresses, normalises URIs and amounts, and does not change its own results", () => {
    const prepared = prepareOptions({
      initial_buy: { amount_in: "007", slippage_bps: 5, recipient: wallet.toLowerCase() },
      partner: wallet.toUpperCase().replace("0X", "0x"),
      links: { x: "https://X.com/tin" },
      banner_uri: "https://CDN.example",
      creator: wallet,
    });
    expect(prepared).toEqual({
      initial_buy: { amount_in: "7", slippage_bps: 5, vesting: null, recipient: wallet },
      partner: wallet,
      links: { ...none, x: "https://x.com/tin" },
      banner_uri: "https://cdn.example/",
      creator: wallet,
    });
    expect(prepareOptions(launchOptionsRequest.parse(prepared))).toEqual(prepared);
  });

  it.each<[LaunchOptionsRequest, string, string]>([
    [{ partner: wallet.replace("A", "a") }, "partner", "address_checksum"],
    [{ creator: wallet.replace("A", "a") }, "creator", "address_checksum"],
    [{ links: { github: "https://gitlab.com/tin" } }, "links.github", "invalid_fields"],
    [{ banner_uri: "https:///a" }, "banner_uri", "invalid_fields"],
  ])("reports the field of %j", (body, field, code) => {
    expect(() => prepareOptions(body)).toThrow(expect.objectContaining({ field, code }));
  });
});
