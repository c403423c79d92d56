import { describe, expect, it } from "vitest";
import { z } from "zod";
import { intent } from "./intent.ts";
import { clientMessage } from "./liveMessages.ts";
import { parseInput, toFieldName } from "./parseInput.ts";

const problem = (schema: z.ZodType, value: unknown) => {
  const parsed = parseInput(schema, value, "The body");
  return parsed.ok ? null : parsed.problem;
};
const message = (schema: z.ZodType, value: unknown) => problem(z.object({ x: schema }), { x: value })?.message;

describe("parseInput", () => {
  it("returns the output of the schema", () => {
    expect(parseInput(z.object({ x: z.int().default(3) }), {}, "The body")).toEqual({ ok: true, value: { x: 3 } });
  });

  it.each<[string, z.ZodType, unknown, string]>([
    ["a missing field", z.string(), undefined, "x is required."],
    ["a missing choice", z.enum(["a", "b"]), undefined, "x is required."],
    ["null", z.string(), null, "x must be a string, not null."],
    ["a number for a string", z.string(), 7, "x must be a string, not a number."],
    ["a string for a number", z.number(), "7", "x must be a number, not a string."],
    ["a fraction", z.int(), 1.5, "x must be a whole number, not a fraction."],
    ["a number for a boolean", z.boolean(), 1, "x must be true or false, not a number."],
    ["an object for a list", z.array(z.int()), {}, "x must be a list, not an object."],
    ["a list for an object", z.object({}), [], "x must be an object, not a list."],
    ["a list for a record", z.record(z.string(), z.int()), [], "x must be an object, not a list."],
    ["none of the choices", z.enum(["a", "b"]), "c", "x must be one of a, b."],
    ["none of the numbers", z.literal([100, 50]), 7, "x must be one of 100, 50."],
    ["not the only value", z.literal("a"), "b", "x must be a."],
    ["an empty string", z.string().min(1), "", "x must not be empty."],
    ["a short string", z.string().min(8), "a", "x must have at least 8 characters."],
    ["a long string", z.string().max(2), "abc", "x must have at most 2 characters."],
    ["an empty list", z.array(z.int()).min(1), [], "x must not be empty."],
    ["a short list", z.array(z.int()).min(2), [1], "x must have at least 2 entries."],
    ["a long list", z.array(z.int()).max(1), [1, 2], "x must have at most 1 entry."],
    ["a small number", z.int().min(1), 0, "x must be at least 1."],
    ["a large number", z.int().max(500), 501, "x must be at most 500."],
    ["a number at a bound that is left out", z.number().gt(0), 0, "x must be more than 0."],
    ["a number above one", z.number().lt(5), 5, "x must be less than 5."],
    ["a number beyond exact ones", z.int(), 1e300, "x must be at most 9007199254740991 to be read exactly."],
    ["no multiple", z.int().step(5), 7, "x must be a multiple of 5."],
    ["no UUID", z.uuid(), "7", "x must be a UUID, such as 123e4567-e89b-42d3-a456-426614174000."],
    ["no time", z.iso.datetime(), "7", "x must be a time such as 2026-01-31T12:00:00Z."],
    ["no URL", z.url(), "7", "x must be a complete URL."],
    ["another form", z.string().regex(/^a$/), "b", "x does not have the documented format."],
    ["a form with a text of its own", z.string().regex(/^a$/, "must be a"), "b", "x must be a."],
    ["none of several forms", z.union([z.string(), z.int()]), true, "x has none of the documented formats."],
    ["a name that is refused", z.record(z.string().max(1), z.int()), { ab: 1 }, "x.ab has a name that is not allowed."],
    ["a check without a text", z.string().refine(() => false), "a", "x is not valid."],
    ["a check with a sentence", z.string().refine(() => false, "The text is odd."), "a", "The text is odd."],
  ])("describes %s", (_, schema, value, expected) => {
    expect(message(schema, value)).toBe(expected);
  });

  it("names a nested field, and an unknown field with the known fields", () => {
    const entry = { provider: "wallet", wallet: `0x${"1".repeat(40)}`, share_bps: 0 };
    const draft = { name: "a", symbol: "A", image_uri: "https://a.example/", chain_id: 4663 };
    expect(problem(intent, { ...draft, recipients: [entry] })).toMatchObject({
      field: "recipients[0].share_bps",
      message: "recipients[0].share_bps must be at least 1.",
    });
    expect(problem(intent, { ...draft, recipients: [{ ...entry, share_bps: 1, surprise: 1 }] })).toEqual({
      field: "recipients[0].surprise",
      message: "recipients[0].surprise is not a field here; the fields are provider, handle, wallet, share_bps.",
      allowed: ["provider", "handle", "wallet", "share_bps"],
    });
  });

  it("describes an input that is invalid as a whole", () => {
    expect(problem(intent, [])).toEqual({
      field: undefined,
      message: "The body must be an object, not a list.",
      allowed: undefined,
    });
  });

  it("names the forms of a message by their discriminator", () => {
    const types = ["subscribe_live", "unsubscribe_live", "ping"];
    expect(problem(clientMessage, { type: "pong" })).toEqual({
      field: "type",
      message: `type must be one of ${types.join(", ")}.`,
      allowed: types,
    });
    expect(problem(clientMessage, {})?.message).toBe("type is required.");
    const tokens = Array(201).fill(`0x${"1".repeat(40)}`);
    expect(problem(clientMessage, { type: "subscribe_live", channels: ["trades"], tokens })?.message).toBe(
      "tokens must have at most 200 entries.",
    );
    expect(problem(clientMessage, { type: "subscribe_live", channels: ["trades", "x"] })?.field).toBe("channels[1]");
  });

  it("C4-38 shows the sender's own names in a bounded length and in printable ASCII", () => {
    const wide = problem(z.strictObject({ a: z.int().optional() }), { '\u202e\u0000"name': 1 });
    expect(wide?.field).toBe('["\\u{202e}\\u{0}\\u{22}name"]');
    const long = problem(z.strictObject({}), { ["x".repeat(60_000)]: 1 });
    expect(long!.message.length).toBeLessThan(200);
  });
});

describe("toFieldName", () => {
  it("writes a path as JavaScript does", () => {
    expect(toFieldName(["recipients", 0, "share_bps"])).toBe("recipients[0].share_bps");
    expect(toFieldName(["a", 1, 2, "b c"])).toBe('a[1][2]["b c"]');
    expect(toFieldName([])).toBe("");
  });
});
