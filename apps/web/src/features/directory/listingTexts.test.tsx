import type { Business } from "@slipway/protocol/businesses";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, expect, test } from "vitest";
import { loadPageTexts } from "../../messages/messages.ts";
import { ListingFacts } from "./listingFacts.tsx";
import { toCategory, toShownListing } from "./listingName.tsx";

beforeAll(loadPageTexts);

/** A listing whose texts all contain a text; its links are URLs that contain the text. */
const createListing = (text: string) =>
  ({
    id: "1",
    source: "partner_a",
    name: text,
    description: text,
    category: text,
    tags: [text],
    token: null,
    website: `https://slipway.example/${text}`,
    links: { x: `https://slipway.example/x${text}` },
    address: { street: text, city: text, region: text, country: text, postal_code: text },
    contact: { hours: text, phone: text, email: text },
    attribution: { source_name: text, licence: text, url: `https://slipway.example/${text}` },
    verified: { website: false, owner: false, links: {} },
    updated_at: "2026-01-01T00:00:00.000Z",
  }) as unknown as Business;

/** Renders the facts of a listing. @returns The texts without the attributes: a link keeps its whole address. */
function renderTexts(text: string): string {
  const category = toCategory("a", [{ slug: "a", name: text }]);
  const html = renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <ListingFacts listing={toShownListing(createListing(text))} category={category} />
    </QueryClientProvider>,
  );
  return html.replace(/<[^>]*>/g, "\n");
}

test("C10-12 the facts of a listing, its category and its links are shown without turned text, and cut", () => {
  const shown = renderTexts("A\u202eB");
  expect(shown).toContain("slipway.example/xAB");
  expect(shown).not.toMatch(/\p{Bidi_Control}/u);
  expect(renderTexts("W".repeat(200_000)).length).toBeLessThan(10_000);
});
