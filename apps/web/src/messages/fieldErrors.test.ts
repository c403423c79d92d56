import { expect, test } from "vitest";
import { findFormFaults } from "../features/launch/findFormFaults.ts";
import { createFields, createRow, toIntent, toOptions } from "../features/launch/formState.ts";
import { ui as en } from "./en/ui.ts";
import { ui as es } from "./es/ui.ts";

const wallet = `0x${"a1".repeat(20)}`;

test("every error of the launch form's schemas has a Spanish text", () => {
  const empty = createFields("0x12");
  const { links } = empty;
  const forms = [
    { ...empty, imageUri: "ftp://a", website: "https://a b", links: { ...links, x: "https://evil.example/seal" } },
    { ...empty, name: "a".repeat(65), imageUri: "https://", website: "https://u:p@host/" },
    { ...empty, name: "a\u0000b", symbol: "A-B", description: "x".repeat(1_001), creator: "0x12" },
    { ...empty, recipients: [createRow(wallet, 5_000), createRow(wallet, 5_000)] },
    { ...empty, recipients: [createRow(wallet, 5_000)] },
    { ...empty, recipients: [createRow(`0x${"00".repeat(20)}`, 10_000)], links: { ...links, telegram: "not a link" } },
    { ...empty, recipients: [{ ...createRow(wallet, 10_000), provider: "social" as const }] },
  ];
  const messages = new Set(
    forms.flatMap((fields) => [...findFormFaults(toIntent(fields, 46630), toOptions(fields)).values()]),
  );
  const english = [...messages].filter((message) => es.fieldError(message) === message);
  expect(english).toEqual([]);
  for (const message of messages) expect(en.fieldError(message)).toBe(message);
});
