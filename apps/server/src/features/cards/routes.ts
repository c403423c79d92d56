import { SlipwayError } from "@slipway/protocol/errors";
import { CachedResponse, strongEtag } from "../../cache/cachedResponse.ts";
import { toTokenTag } from "../../cache/cacheTag.ts";
import type { ReadContext } from "../../cache/createReadModel.ts";
import type { Card } from "../../compute/createCardPainter.ts";
import type { Deps } from "../../deps.ts";
import { finiteOrNull } from "../../pricing/format.ts";
import { createRoute, type Route } from "../../route.ts";
import { type CardRow, findCard } from "./cardQueries.ts";

/** Routes of token cards, the preview pictures of pages (Open Graph). Source: https://ogp.me */
export function cardRoutes(deps: Deps): Route[] {
  return [
    createRoute("getTokenCard", {
      cache: "public-10s",
      handle: async ({ params, clientAddress }) => {
        const [, requested] = /^(0x[0-9a-fA-F]{40})\.png$/.exec(params.name) ?? [];
        if (requested === undefined) throw notFound();
        const address = requested.toLowerCase();
        const key = JSON.stringify(["card", address]);
        const drawn = await deps.readModel.findResponse(key);
        if (drawn !== undefined) return drawn;
        // Each waiting request counts, even for another request's drawing, so that a refusal affects only its client.
        const release = deps.streamCapacity.cards.acquire(clientAddress);
        try {
          return await deps.readModel.getResponse(key, [toTokenTag(address), "minute"], async (db, readContext) => {
            const row = await findCard(db, address);
            if (row === null || row.blocked) throw notFound();
            const png = await deps.cardPainter.draw(await toCard(deps, address, row, readContext));
            return new CachedResponse(png, strongEtag(png), "image/png");
          });
        } finally {
          release();
        }
      },
    }),
  ];
}

const notFound = () => new SlipwayError("not_found", "Card not found.");

async function toCard(
  { mediaStorage, log }: Pick<Deps, "mediaStorage" | "log">,
  address: string,
  row: CardRow,
  { ethUsd }: ReadContext,
): Promise<Card> {
  const price = finiteOrNull(row.price);
  // A card without its picture is better than no card.
  const image =
    row.sha256 === null
      ? null
      : await mediaStorage.get(`${row.sha256}/512.webp`).catch((error: unknown) => {
          log.warn({ err: error, token: address }, "cannot read the picture of a card");
          return null;
        });
  return {
    name: row.name,
    symbol: row.symbol,
    price:
      price === null ? null : ethUsd === null ? `${formatPrice(price)} ETH` : `$${formatPrice(price * ethUsd.price)}`,
    change: finiteOrNull(row.change_24h_pct),
    image,
    hue: Number.parseInt(address.slice(2, 10), 16),
    line: row.line.filter(({ price: point }) => Number.isFinite(point)),
  };
}

/** Number of zeros after the point from which a subscript replaces the zeros. */
const countedZeros = 4;

/**
 * Formats a price for a card, with four digits; a subscript counts the zeros after the point of a small price.
 *
 * @example
 * formatPrice(0.0000057612); // "0.0₅5761"
 */
export function formatPrice(price: number): string {
  if (price === 0) return "0";
  if (price >= 1) return price.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const [digits = "", exponent = "0"] = price.toExponential(3).split("e");
  const zeros = -Number(exponent) - 1;
  const figures = digits.replace(".", "").replace(/0+$/, "");
  // The price was rounded up to one.
  if (zeros < 0) return "1.00";
  if (zeros < countedZeros) return `0.${"0".repeat(zeros)}${figures}`;
  const count = [...String(zeros)].map((digit) => String.fromCodePoint(0x2080 + Number(digit))).join("");
  return `0.0${count}${figures}`;
}
