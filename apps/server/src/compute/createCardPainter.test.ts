import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "../systemClock.ts";
import { type Card, createCardPainter } from "./createCardPainter.ts";

const painter = createCardPainter({ clock: systemClock });
afterAll(() => painter.stop());

const card: Card = {
  name: "Tin Boat",
  symbol: "TIN",
  price: "$0.0₅5761",
  change: 28.2,
  image: null,
  hue: 210,
  line: [1, 4, 2, 8].map((price, t) => ({ t: t * 3_600, price })),
};
const draw = async (changes: Partial<Card>) => await painter.draw({ ...card, ...changes });

/** The pixels of a part of a card, three bytes each. */
async function cut(png: Buffer, [left, top, width, height]: readonly [number, number, number, number]) {
  return await sharp(png).extract({ left, top, width, height }).removeAlpha().raw().toBuffer();
}
const tile = [72, 72, 320, 320] as const;
const texts = [448, 72, 680, 260] as const;

/** Counts the bright pixels on the tile, and reports whether they form a closed box (a missing glyph). */
async function findLetter(png: Buffer): Promise<{ ink: number; isBox: boolean }> {
  const pixels = await cut(png, tile);
  const isInk = (x: number, y: number) => {
    const at = (y * 320 + x) * 3;
    return Math.max(...pixels.subarray(at, at + 3)) - Math.max(pixels[0]!, 118) > 60;
  };
  const inked: [number, number][] = [];
  for (let y = 40; y < 280; y++) for (let x = 40; x < 280; x++) if (isInk(x, y)) inked.push([x, y]);
  const [xs, ys] = [inked.map(([x]) => x), inked.map(([, y]) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const edge: [number, number][] = [];
  for (let x = left; x <= right; x++) edge.push([x, top + 1], [x, bottom - 1]);
  for (let y = top; y <= bottom; y++) edge.push([left + 1, y], [right - 1, y]);
  return { ink: inked.length, isBox: edge.every(([x, y]) => isInk(x, y)) };
}

describe("a card", () => {
  it("is a PNG of 1200 x 630 pixels with its texts, price and line", async () => {
    const png = await draw({});
    const { format, width, height } = await sharp(png).metadata();
    expect({ format, width, height }).toEqual({ format: "png", width: 1_200, height: 630 });
    expect(await draw({})).toEqual(png);
    for (const changes of [
      ...[{ name: "Tin Boot" }, { symbol: "TON" }, { price: "$0.0₆5761" }, { change: 28.3 }, { change: -28.2 }],
      ...[{ line: [] }, { hue: 90 }],
    ]) {
      expect((await draw(changes)).equals(png)).toBe(false);
    }
  });

  it.each([
    ...["A", "Ü", "Ω", "Ж", "ज", "ق", "漢", "か", "한", "ש", "ไ", "த", "ა", "Ա", "አ", "ᚠ", "ⴰ", "ក", "₿", "𝔘", "🄰"],
  ])("draws the character %s and no box in its place", async (symbol) => {
    const { ink, isBox } = await findLetter(await draw({ symbol }));
    expect(ink).toBeGreaterThan(200);
    expect(isBox).toBe(false);
  });

  it("finds a box where no font has the character", async () => {
    expect((await findLetter(await draw({ symbol: "\u{10348}" }))).isBox).toBe(true);
  });

  it("draws emoji in colour, and joined emoji as one", async () => {
    const pixels = await cut(await draw({ symbol: "🔥", hue: 210 }), tile);
    let red = 0;
    for (let at = 0; at < pixels.length; at += 3) if (pixels[at]! > 200 && pixels[at + 2]! < 120) red++;
    expect(red).toBeGreaterThan(1_000);
    const family = await draw({ symbol: "👩‍🚀" });
    expect(await cut(family, tile)).not.toEqual(await cut(await draw({ symbol: "👩" }), tile));
  });

  it("shows the picture, cut to a square with round corners, and a tile if the picture cannot be read", async () => {
    const picture = sharp({ create: { width: 300, height: 200, channels: 3, background: "#ff0000" } });
    const pixels = await cut(await draw({ image: await picture.clone().webp({ lossless: true }).toBuffer() }), tile);
    const at = (x: number, y: number) => [...pixels.subarray((y * 320 + x) * 3, (y * 320 + x) * 3 + 3)];
    expect([at(160, 160), at(160, 1), at(0, 0)]).toEqual([[255, 0, 0], [255, 0, 0], at(319, 319)]);
    expect(at(0, 0)).not.toEqual([255, 0, 0]);
    const without = await draw({});
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
    const others = [Buffer.from("x"), Buffer.from(svg), await picture.png().toBuffer(), Buffer.alloc(0)];
    for (const image of others) expect(await draw({ image })).toEqual(without);
  });

  it("C5-27 shows the markup of a text as text: none of it names a font, a colour or a file", async () => {
    const plain = await cut(await draw({ name: "x" }), texts);
    for (const name of [
      ...["<b>x</b>", "<span foreground='red'>x</span>", "x</span>", "&#120;", "<!-- -->x", "x&amp;", "<x/>", "]]>x"],
      ...['<span font_desc="/etc/passwd 30">x</span>', '<image href="file:///etc/passwd"/>x', '" foreground="red'],
    ]) {
      const drawn = await cut(await draw({ name }), texts);
      expect(drawn).not.toEqual(plain);
      let red = 0;
      for (let at = 0; at < drawn.length; at += 3) if (drawn[at]! > 150 && drawn[at + 1]! < 60) red++;
      expect(red).toBe(0);
    }
  });

  it("C5-27 keeps texts of any length and kind within their areas", async () => {
    const empty = await draw({ name: "", symbol: "", price: null, change: null, line: [] });
    const long = [
      ...["W".repeat(10_000), "\ufdfd".repeat(64), "a\u0303\u0303\u0303".repeat(64), "👩‍🚀".repeat(64)],
      ...["\u202e\u2066\u0000\n\t\u200b", "\u{e0041}\u{10ffff}\ufffe", "a b".repeat(200), "\u0e49".repeat(60)],
    ];
    for (const text of long) {
      const png = await draw({ name: text, symbol: text, price: text, change: null, line: [] });
      // The margins stay unchanged.
      for (const box of [
        [0, 0, 1_200, 60],
        [0, 600, 1_200, 30],
        [1_135, 0, 65, 630],
      ] as const) {
        expect(await cut(png, box)).toEqual(await cut(empty, box));
      }
    }
  });

  it("draws a line of prices that are equal, tiny, huge or at one time", async () => {
    for (const prices of [
      [1, 1],
      [1e-300, 2e-300],
      [1e300, 1e-300, 1e300],
      [0, 0, 0],
    ]) {
      const line = prices.map((price, t) => ({ t, price }));
      expect((await draw({ line })).equals(await draw({ line: [] }))).toBe(false);
    }
    const once = [1, 2].map((price) => ({ t: 5, price }));
    expect((await sharp(await draw({ line: once })).metadata()).width).toBe(1_200);
  });
});

describe("the process that draws cards", () => {
  const program = fileURLToPath(new URL("../../../../tests/support/images/hangingCard.ts", import.meta.url));

  it("C5-28 is killed and replaced when it hangs, and further cards are refused while too many wait", async () => {
    const hanging = createCardPainter({ clock: systemClock, program, deadlineMs: 200 });
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => hanging.draw(card)));
    const codes = results.map((result) => (result.status === "rejected" ? result.reason.code : "drawn"));
    expect(codes.filter((code) => code === "overloaded")).toHaveLength(codes.length);
    await hanging.stop();
  });
});
