import { constants, setPriority } from "node:os";
import sharp, { type OverlayOptions } from "sharp";
import type { Card } from "./createCardPainter.ts";
import { drawLine, roundCorners } from "./drawShapes.ts";

// The program of the process that draws cards (`createCardPainter.ts`). It gets none of the service's environment
// variables.

// Requests have priority over cards.
setPriority(process.pid, constants.priority.PRIORITY_BELOW_NORMAL);
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

// Blocks readers of documents, which could name a file: only text, pixels and this service's own WebP are drawn.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadWebpBuffer"] });
sharp.cache(false);
sharp.concurrency(1);

const width = 1_200;
const height = 630;
const margin = 72;
const pictureSide = 320;
const textLeft = margin + pictureSide + 56;
const textWidth = width - textLeft - margin;
const priceWidth = pictureSide + 36;
/** Below the name in three lines and the symbol. */
const chartTop = 340;

const colors = { background: "#10141c", text: "#f5f7fa", faint: "#9aa6b8", rise: "#3ddc97", fall: "#ff6b6b" } as const;

/** Draws a card as PNG. */
export async function drawCard(card: Card): Promise<Uint8Array> {
  const name = await fitText(card.name, { size: 68, minSize: 44, lines: 3, weight: "Bold", color: colors.text });
  const symbol = await fitText(card.symbol, { size: 40, minSize: 28, lines: 1, weight: "", color: colors.faint });
  const price = await fitText(card.price ?? "", {
    width: priceWidth,
    size: 64,
    minSize: 36,
    lines: 1,
    weight: "Bold",
    color: colors.text,
  });
  const isRise = (card.change ?? 0) >= 0;
  const change =
    card.change === null
      ? null
      : await fitText(`${isRise ? "+" : "−"}${Math.abs(card.change).toFixed(1)} % in 24 h`, {
          size: 34,
          minSize: 34,
          lines: 1,
          weight: "",
          color: isRise ? colors.rise : colors.fall,
        });
  const layers: OverlayOptions[] = [toLayer(await drawPicture(card), { left: margin, top: margin })];
  let top = margin;
  for (const text of [name, symbol]) {
    if (text !== null) layers.push(toLayer(text, { left: textLeft, top }));
    top += (text?.height ?? 0) + 26;
  }
  const bottom = margin + pictureSide;
  if (price !== null) layers.push(toLayer(price, { left: margin, top: bottom + 56 }));
  if (change !== null) layers.push(toLayer(change, { left: margin, top: bottom + 56 + (price?.height ?? 0) + 20 }));
  if (card.line.length > 1) {
    const box = { width: textWidth, height: height - chartTop - margin };
    const data = drawLine(card.line, box, isRise ? colors.rise : colors.fall);
    layers.push(toLayer({ data, ...box }, { left: textLeft, top: chartTop }));
  }
  const canvas = sharp({ create: { width, height, channels: 3, background: colors.background } });
  return await canvas.composite(layers).png({ compressionLevel: 8 }).toBuffer();
}

/** RGBA pixels. */
type Pixels = { data: Buffer; width: number; height: number };
type TextStyle = { width?: number; size: number; minSize: number; lines: number; weight: "" | "Bold"; color: string };

/**
 * Draws text in the largest size that fits into the width. At the minimum size, wraps the text and keeps the first
 * lines.
 *
 * @returns Null for text without visible pixels.
 */
async function fitText(text: string, style: TextStyle): Promise<Pixels | null> {
  const { width: maxWidth = textWidth } = style;
  const clean = cleanLine(text);
  if (clean === "") return null;
  try {
    const line = await drawText(clean, style, style.size);
    if (line.width <= maxWidth) return line;
    const size = Math.max(style.minSize, Math.floor((style.size * maxWidth) / line.width));
    const smaller = await drawText(clean, style, size);
    if (smaller.width <= maxWidth) return smaller;
    return await drawText(clean, style, size, maxWidth);
  } catch {
    // For example only blanks.
    return null;
  }
}

/** Line height in units of the font size (Noto Sans); `lastLine` is the height of a last line without the next line. */
const linePitch = 1.36;
const lastLine = 1.3;

async function drawText(text: string, style: TextStyle, size: number, wrapWidth?: number): Promise<Pixels> {
  const drawn = sharp({
    text: {
      text: `<span foreground="${style.color}" insert_hyphens="false">${toMarkup(text)}</span>`,
      font: `Card ${style.weight} ${size}`,
      // One point is one pixel.
      dpi: 72,
      rgba: true,
      ...(wrapWidth === undefined ? { wrap: "none" } : { width: wrapWidth, wrap: "word-char" }),
    },
  });
  const { data, info } = await drawn.raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  // Stacked marks can be taller than a line, and an unbreakable word can be wider.
  const lines = wrapWidth === undefined ? 1 : style.lines;
  const bounds = { width: wrapWidth ?? width, height: Math.floor(size * (linePitch * (lines - 1) + lastLine)) };
  const kept = { width: Math.min(width, bounds.width), height: Math.min(height, bounds.height) };
  const cut = sharp(data, { raw: { width, height, channels: 4 } }).extract({ left: 0, top: 0, ...kept });
  return { data: await cut.raw().toBuffer(), ...kept };
}

const toLayer = ({ data, width, height }: Pixels, place: { left: number; top: number }): OverlayOptions => ({
  input: data,
  raw: { width, height, channels: 4 },
  ...place,
});

/** Maximum characters of a launch's name and symbol. */
const maxCharacters = 64;

/**
 * Returns one line of visible characters. Mathematical and enclosed letters, which none of our fonts has, become plain.
 */
function cleanLine(text: string): string {
  const line = text
    .replace(/[\u{1d400}-\u{1d7ff}\u{1f100}-\u{1f16f}]/gu, (letter) => letter.normalize("NFKC"))
    // Joiners are a part of emoji and of some scripts.
    .replace(/(?![\u200c\u200d])\p{C}/gu, " ")
    .replace(/\s+/gu, " ")
    .trim();
  return [...line].slice(0, maxCharacters).join("");
}

/** Escapes text as markup; none of our bold fonts has the subscripts of small prices. */
const toMarkup = (text: string) =>
  text
    .replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
    .replace(/[\u2080-\u2089]+/g, (digits) => `<sub>${digits.normalize("NFKC")}</sub>`);

/** Draws the picture, or a tile of the card's colour with the first letter of the symbol. */
async function drawPicture({ image, symbol, name, hue }: Card): Promise<Pixels> {
  const box = { width: pictureSide, height: pictureSide };
  const mask: OverlayOptions = {
    input: roundCorners(pictureSide, 36),
    raw: { ...box, channels: 4 },
    blend: "dest-in",
  };
  const picture = image === null ? null : await readPicture(image);
  if (picture !== null) {
    const drawn = sharp(picture, { raw: { ...box, channels: 4 } });
    return { data: await drawn.composite([mask]).raw().toBuffer(), ...box };
  }
  const [first] = new Intl.Segmenter().segment(cleanLine(symbol) || cleanLine(name) || "?");
  const letter = await fitText(first!.segment, { ...letterStyle, color: colors.text });
  const tile = sharp({ create: { ...box, channels: 4, background: `hsl(${hue % 360}, 45%, 32%)` } });
  const layers: OverlayOptions[] = [];
  if (letter !== null && letter.width <= pictureSide && letter.height <= pictureSide) {
    const place = { left: (pictureSide - letter.width) >> 1, top: (pictureSide - letter.height) >> 1 };
    layers.push(toLayer(letter, place));
  }
  return {
    data: await tile
      .composite([...layers, mask])
      .raw()
      .toBuffer(),
    ...box,
  };
}

const letterStyle = { size: 150, minSize: 150, lines: 1, weight: "Bold" } as const;

/** Reads the picture as a centre-cropped square of RGBA pixels; null if it cannot be read. */
async function readPicture(image: Uint8Array): Promise<Buffer | null> {
  try {
    const square = sharp(image).resize({ width: pictureSide, height: pictureSide, fit: "cover" });
    return await square.toColourspace("srgb").ensureAlpha().raw().toBuffer();
  } catch {
    return null;
  }
}
