import type { TokenDetail } from "@slipway/protocol/indexed";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, expect, test } from "vitest";
import { loadPageTexts } from "../../messages/messages.ts";
import { TokenWarnings } from "./tokenWarnings.tsx";
import { TrustPanel } from "./trustPanel.tsx";

beforeAll(loadPageTexts);

const render = (node: ReactNode) =>
  renderToStaticMarkup(<QueryClientProvider client={new QueryClient()}>{node}</QueryClientProvider>);

const createToken = (symbol: string) =>
  ({
    symbol,
    total_supply: "1000",
    decimals: 0,
    warnings: [],
    splitter: null,
    creator: null,
    address: "0xaa",
    pool: "0xbb",
    security: { mintable: false, pausable: false, owner: null },
    liquidity_lock: { locker: "0xcc", percent_locked: 100 },
  }) as unknown as TokenDetail;

test("C10-12 a token's symbol and warnings are shown without characters that change the direction, and cut", () => {
  for (const create of [
    (text: string) => <TrustPanel token={createToken(text)} />,
    (text: string) => <TokenWarnings warnings={[{ code: "blocked", message: text }]} />,
  ]) {
    const html = render(create("A\u202eB"));
    expect(html).toContain("AB");
    expect(html).not.toMatch(/\p{Bidi_Control}/u);
    expect(render(create("W".repeat(200_000))).length).toBeLessThan(20_000);
  }
});
