import type { SlipwayError } from "@slipway/protocol/errors";
import type { Intent } from "@slipway/protocol/intent";
import { describe, expect, it } from "vitest";
import { prepareIntent } from "./prepareIntent.ts";

const intent: Intent = {
  name: "Tin Boat",
  symbol: "TIN",
  image_uri: "ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy",
  chain_id: 46630,
};
const wallet = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

function refuse(change: Partial<Intent>): SlipwayError {
  try {
    prepareIntent({ ...intent, ...change });
  } catch (error) {
    return error as SlipwayError;
  }
  throw new Error("the intent was accepted");
}

describe("prepareIntent", () => {
  it("fills in defaults and leaves everything else unchanged", () => {
    expect(prepareIntent(intent)).toEqual({ ...intent, fee_bps: 100, recipients: [] });
    const description = "  two\nlines \u202e ";
    expect(prepareIntent({ ...intent, description, fee_bps: 50 })).toMatchObject({ description, fee_bps: 50 });
  });

  it("normalises name and URIs", () => {
    const change = {
      name: " Cafe\u0301 \u00a0Boat",
      image_uri: "https://CDN.example/../a.png",
      website: "https://Tin.example",
    };
    expect(prepareIntent({ ...intent, ...change })).toMatchObject({
      name: "Caf\u00e9 Boat",
      image_uri: "https://cdn.example/a.png",
      website: "https://tin.example/",
    });
  });

  it("leaves its own results unchanged", () => {
    const prepared = prepareIntent({ ...intent, name: "  A\u030a ", website: "https://EXAMPLE.org" });
    expect(prepareIntent(prepared)).toEqual(prepared);
  });

  it("names the code point and the field of a refused name", () => {
    expect(refuse({ name: "Tin\u202eBoat" })).toMatchObject({
      code: "invalid_fields",
      field: "name",
      message: expect.stringContaining("name must not contain U+202E RIGHT-TO-LEFT OVERRIDE"),
      details: { reason: "bidi_control", code_point: "U+202E RIGHT-TO-LEFT OVERRIDE" },
    });
    expect(refuse({ name: " \u3000" })).toMatchObject({ field: "name", details: { reason: "empty" } });
  });

  it.each([
    ["image_uri", "ipfs://u@b/c", "userinfo"],
    ["image_uri", "https://a b.example", "space"],
    ["website", "https://a.example\\@b.example", "backslash"],
    ["website", "https:///", "no_host"],
    ["website", "ipfs://bafy", "scheme"],
  ] as const)("names the field and the reason of %s %j", (field, value, reason) => {
    expect(refuse({ [field]: value })).toMatchObject({ code: "invalid_fields", field, details: { reason } });
  });

  it("checksums payout addresses, except one whose checksum is wrong", () => {
    const wrong = wallet.replace("A", "a");
    const recipients = [wallet.toLowerCase(), wallet, wrong].map((address) => ({
      provider: "wallet" as const,
      wallet: address,
      share_bps: 1,
    }));
    const prepared = prepareIntent({ ...intent, recipients }).recipients!;
    expect(prepared.map((entry) => entry.wallet)).toEqual([wallet, wallet, wrong]);
  });
});
