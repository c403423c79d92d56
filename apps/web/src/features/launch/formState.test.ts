import { createSalt } from "@slipway/sdk/createSalt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFakeStorage } from "../../../../../tests/support/web/fakeProvider.ts";
import { findFormFaults } from "./findFormFaults.ts";
import {
  createFields,
  createRow,
  dropChanged,
  loadForm,
  parsePercent,
  saveForm,
  splitEvenly,
  sumShares,
  toIntent,
  toOptions,
  toPercent,
} from "./formState.ts";
import { noVesting, toVesting, toVestingDays } from "./vestingDays.ts";

const wallet = `0x${"a1".repeat(20)}`;

describe("launch shares", () => {
  test("parse percentages as basis points", () => {
    expect(["100", "33.34", "33,34", "0.01", "5.", ""].map(parsePercent)).toEqual([10_000, 3_334, 3_334, 1, 500, null]);
    expect(["100.01", "1.234", "-1", "1e1", "1,234"].map(parsePercent)).toEqual([null, null, null, null, null]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000 }), (bps) => {
        expect(parsePercent(toPercent(bps))).toBe(bps);
      }),
    );
  });

  test("split evenly to the last basis point for any number of recipients", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), (count) => {
        const rows = splitEvenly(Array.from({ length: count }, () => createRow(wallet, 0)));
        const shares = rows.map(({ percent }) => parsePercent(percent)!);
        expect(sumShares(rows)).toBe(10_000);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe("the launch form", () => {
  test("converts to a draft and options that the service accepts", () => {
    const fields = {
      ...createFields(wallet),
      name: " Seal ",
      symbol: "SEAL",
      imageUri: "https://cdn.example/seal.png",
    };
    expect(toOptions(fields)).toBeNull();
    const filled = { ...fields, initialBuy: "0.1", links: { ...fields.links, x: "https://x.com/seal" } };
    expect([findFormFaults(toIntent(filled, 46630), toOptions(filled)).size, toIntent(filled, 46630).name]).toEqual([
      0,
      "Seal",
    ]);
    expect(toOptions(filled)).toEqual({
      initial_buy: { amount_in: "100000000000000000", slippage_bps: 100 },
      links: { x: "https://x.com/seal" },
    });
  });

  test("converts the days of a vesting to dates, and back for a new draft", () => {
    const fields = { ...createFields(wallet), initialBuy: "0.1", vestingWait: "30", vestingTime: " 100" };
    const { initial_buy } = toOptions(fields)!;
    const { cliff, end } = initial_buy!.vesting!;
    expect(end - cliff).toBe(100 * 86_400);
    expect(Math.abs(cliff - Date.now() / 1_000 - 30 * 86_400)).toBeLessThan(60);
    expect(toVestingDays({ cliff, end }, Date.now())).toEqual({ vestingWait: "30", vestingTime: "100" });
    expect(toVestingDays(null, Date.now())).toEqual(noVesting);
    for (const [vestingWait, vestingTime] of [
      ...[
        ["", "100"],
        ["30", ""],
        ["0", "100"],
        ["1.5", "100"],
        ["-1", "2"],
      ],
      ...[
        ["3650", "1"],
        ["1e3", "5"],
      ],
    ] as [string, string][]) {
      expect(toVesting({ vestingWait, vestingTime }, 0)).toBeNull();
      expect(toOptions({ ...fields, vestingWait, vestingTime })?.initial_buy?.vesting).toBeUndefined();
    }
  });

  test("reports each invalid field", () => {
    const fields = createFields("0x12");
    const links = { ...fields.links, x: "https://evil.example/seal" };
    const faults = findFormFaults(toIntent(fields, 46630), toOptions({ ...fields, links }));
    expect([...faults.keys()].sort()).toEqual(["image_uri", "links.x", "name", "recipients.0.wallet", "symbol"]);
    const twice = { ...fields, recipients: [createRow(wallet, 5_000), createRow(wallet, 5_000)] };
    expect(findFormFaults(toIntent(twice, 46630), null).has("recipients.1.wallet")).toBe(true);
  });

  test("survives a reload, and is empty if the stored value is not a form", () => {
    const storage = createFakeStorage();
    const form = loadForm(storage, wallet);
    saveForm(storage, { ...form, fields: { ...form.fields, name: "Seal" } });
    expect(loadForm(storage, "")).toMatchObject({ key: form.key, fields: { name: "Seal" } });
    for (const stored of ["{", "null", "[]", '{"key":1}', '{"key":"k","fields":{"name":"x"}}']) {
      storage.setItem("launch_form", stored);
      expect(loadForm(storage, wallet).fields.name).toBe("");
    }
  });
});

test("a salt is the SHA-256 of draft, wallet and attempt in lower case", async () => {
  const salt = await createSalt("ABC", "0xDEF", 0);
  // printf 'abc:0xdef:0' | sha256sum
  expect(salt).toBe(`0x${(await import("node:crypto")).createHash("sha256").update("abc:0xdef:0").digest("hex")}`);
  expect(await createSalt("abc", "0xdef", 1)).not.toBe(salt);
});

describe("a form fault", () => {
  const fields = { ...createFields(wallet), recipients: [createRow(wallet, 5_000), createRow("0x", 5_000)] };
  const drop = (changed: Partial<typeof fields>, ...paths: string[]) => [
    ...dropChanged(new Map(paths.map((path) => [path, "is wrong"])), fields, { ...fields, ...changed }).keys(),
  ];

  test("is dropped only by a change of its own field", () => {
    expect(drop({ name: "Ferry" }, "name", "symbol", "image_uri")).toEqual(["symbol", "image_uri"]);
    expect(drop({ imageUri: "https://a.example/" }, "name", "image_uri")).toEqual(["name"]);
    expect(drop({ initialBuy: "1" }, "initial_buy", "creator")).toEqual(["creator"]);
    expect(drop({ links: { ...fields.links, x: "https://x.com/a" } }, "links.x", "links.github")).toEqual([
      "links.github",
    ]);
  });

  test("of a recipient is dropped by a change of that recipient, and one of the sum by any recipient's", () => {
    const [first, second] = fields.recipients;
    const recipients = [first!, { ...second!, wallet }];
    expect(drop({ recipients }, "recipients", "recipients.0.wallet", "recipients.1.wallet")).toEqual([
      "recipients.0.wallet",
    ]);
    // The rows move up, so the faults of their positions no longer apply.
    expect(drop({ recipients: [second!] }, "recipients.0.wallet", "recipients.1.wallet")).toEqual([]);
  });
});
