import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, expect, test } from "vitest";
import { loadPageTexts } from "../messages/messages.ts";
import { Amount } from "./amount.tsx";
import { AmountField } from "./amountField.tsx";
import { CandleTable } from "./candleTable.tsx";
import { ErrorNote } from "./errorNote.tsx";
import { Price } from "./price.tsx";
import { Select } from "./select.tsx";
import { SplitBar } from "./splitBar.tsx";

beforeAll(loadPageTexts);

const turned = "A\u202eB";
const long = "W".repeat(200_000);

const parts: Record<string, (text: string) => ReactNode> = {
  "an amount": (text) => <Amount value="1" decimals={0} symbol={text} />,
  "the field of an amount": (text) => (
    <AmountField label="" value="" onChange={() => undefined} decimals={0} symbol={text} />
  ),
  "the table of candles": (text) => <CandleTable candles={[]} caption={text} volume={() => ""} />,
  "a price": (text) => <Price value={0.000004848} quote={text} />,
  "a bar of shares": (text) => <SplitBar label="" parts={[{ key: "1", label: text, bps: 10_000 }]} />,
  "a choice": (text) => (
    <Select label="" value="a" options={[{ value: "a", label: text }]} onChange={() => undefined} />
  ),
  "an error": (text) => <ErrorNote error={Object.assign(new Error(text), { code: text, requestId: text })} />,
};

test.each(Object.entries(parts))(
  "C10-12 %s shows an untrusted text without characters that change the direction, and cut",
  (_what, create) => {
    const html = renderToStaticMarkup(create(turned));
    expect(html).toContain("AB");
    expect(html).not.toMatch(/\p{Bidi_Control}/u);
    expect(renderToStaticMarkup(create(long)).length).toBeLessThan(10_000);
  },
);
