import { createHash } from "node:crypto";
import type { Language } from "@slipway/protocol/languages";
import type { CardRow } from "../../features/cards/cardQueries.ts";
import { formatPrice } from "../../features/cards/routes.ts";
import { finiteOrNull } from "../../pricing/format.ts";
import { escapeHtml } from "../guides/renderGuide.ts";
import { embedTexts } from "./embedTexts.ts";

/** Seconds between two loads of the same chart by a page that embeds it. */
const refreshSeconds = 60;

const style = `:root{color-scheme:light dark;--surface:#fff;--ink:#0f1f28;--muted:#4a5b63;--line:#cbd5d2;--accent:#0a6b70;--buy:#0b6b4b;--sell:#b3341f}
@media (prefers-color-scheme:dark){:root{--surface:#111d23;--ink:#e6eeee;--muted:#9db0b5;--line:#24343b;--accent:#4fc3c0;--buy:#4cc38a;--sell:#ff8a70}}
*{box-sizing:border-box}
html,body{height:100%;margin:0}
body{display:flex;flex-direction:column;gap:.5rem;padding:.75rem 1rem;border:1px solid var(--line);border-radius:10px;background:var(--surface);color:var(--ink);font:14px/1.4 system-ui,sans-serif;font-variant-numeric:tabular-nums}
header{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem .75rem}
img{border-radius:50%;object-fit:cover}
h1{flex:1;min-width:6rem;margin:0;font-size:16px;line-height:1.25;overflow-wrap:anywhere}
.muted{color:var(--muted);font-weight:400}
.price{font-size:20px;font-weight:700}
.buy{color:var(--buy);stroke:var(--buy)}.sell{color:var(--sell);stroke:var(--sell)}
svg{flex:1;min-height:60px;width:100%}
polyline{fill:none;stroke-width:2;vector-effect:non-scaling-stroke;stroke-linejoin:round}
footer{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;font-size:12px}
a{color:var(--accent)}
p{margin:auto}`;

const styleHash = createHash("sha256").update(style).digest("base64");

/**
 * Creates the policy of the pages. They may be framed by every site, because they have no script, no form and nothing
 * that a click could change: the only link opens the token's page in a new window.
 *
 * @param mediaUrl - The URL of the service's pictures; null without pictures.
 */
export const createEmbedPolicy = (mediaUrl: string | null) =>
  [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `img-src 'self'${mediaUrl === null ? "" : ` ${new URL(mediaUrl).origin}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors *",
  ].join(";");

const createPage = (language: Language, body: string) => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="${refreshSeconds}">
<title>${embedTexts[language].title}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;

/** Creates the page without a chart, e.g. of an unknown token. */
export const createEmbedNotice = (language: Language, text: string) =>
  createPage(language, `<p class="muted">${escapeHtml(text)}</p>`);

/** The size of the drawing, which the page scales. */
const [chartWidth, chartHeight, chartMargin] = [600, 200, 4];

/** Creates the points of the line from prices and their times, ascending. A constant price is a line in the middle. */
function toPoints(line: CardRow["line"]): string {
  const prices = line.map(({ price }) => price);
  const [minPrice, maxPrice] = [Math.min(...prices), Math.max(...prices)];
  const [start, end] = [line[0]!.t, line.at(-1)!.t];
  const toY = (price: number) =>
    maxPrice > minPrice
      ? chartMargin + (1 - (price - minPrice) / (maxPrice - minPrice)) * (chartHeight - 2 * chartMargin)
      : chartHeight / 2;
  return line
    .map(
      ({ t, price }) =>
        `${(((t - start) / Math.max(1, end - start)) * chartWidth).toFixed(1)},${toY(price).toFixed(1)}`,
    )
    .join(" ");
}

/** Returns an untrusted text as HTML: without control characters and marks that change the text direction. */
const toHtml = (text: string) => escapeHtml(text.replace(/[\p{Bidi_Control}\p{Cc}]/gu, "").slice(0, maxTextUnits));
const maxTextUnits = 64;

const toTime = (seconds: number) => `${new Date(seconds * 1_000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** The content of a token's page. Name and symbol are a stranger's. */
export type EmbedContent = {
  /** In lower case. */
  address: string;
  row: CardRow;
  ethUsd: number | null;
  mediaUrl: string | null;
  language: Language;
};

/** Creates the page of a token: name, price, change and price line. It has no script and works at any size. */
export function createEmbedPage({ address, row, ethUsd, mediaUrl, language }: EmbedContent): string {
  const text = embedTexts[language];
  const toLocal = (number: string) => (language === "es" ? number.replace(".", ",") : number);
  const price = finiteOrNull(row.price);
  const shownPrice =
    price === null
      ? "—"
      : ethUsd === null
        ? `${toLocal(formatPrice(price))} ETH`
        : `$${toLocal(formatPrice(price * ethUsd))}`;
  const change = finiteOrNull(row.change_24h_pct);
  const tone = (change ?? 0) < 0 ? "sell" : "buy";
  const shownChange =
    change === null
      ? ""
      : `<span class="${tone}">${text.change(`${change < 0 ? "−" : "+"}${toLocal(Math.abs(change).toFixed(1))}%`)}</span>`;
  const picture =
    row.sha256 === null || mediaUrl === null
      ? ""
      : `<img src="${escapeHtml(`${mediaUrl}/${row.sha256}/64.webp`)}" alt="" width="32" height="32">`;
  const line = row.line.filter((point) => Number.isFinite(point.price));
  const chart =
    line.length < 2
      ? `<p class="muted">${text.noLine}</p>`
      : `<svg class="${tone}" viewBox="0 0 ${chartWidth} ${chartHeight}" preserveAspectRatio="none" role="img" aria-label="${text.line}"><polyline points="${toPoints(line)}"/></svg>`;
  const since = line.length < 2 ? `${address.slice(0, 6)}…${address.slice(-4)}` : text.since(toTime(line[0]!.t));
  const name = `<bdi>${toHtml(row.name)}</bdi> <bdi class="muted">${toHtml(row.symbol)}</bdi>`;
  return createPage(
    language,
    `<header>${picture}<h1>${name}</h1><span><span class="price">${shownPrice}</span> ${shownChange}</span></header>
${chart}
<footer><span class="muted">${since}</span><a href="/t/${address}" target="_blank" rel="noopener">${text.open}</a></footer>`,
  );
}
