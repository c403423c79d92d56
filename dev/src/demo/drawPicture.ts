import sharp from "sharp";

/** Motif of a demo picture. */
export type Motif = "lighthouse" | "waves" | "kettle" | "hills" | "rings" | "leaf" | "blocks" | "moon";

const size = 512;

/** Each motif as SVG shapes: `ink` is the dark colour, `light` the bright one. */
const motifs: Record<Motif, (ink: string, light: string) => string> = {
  lighthouse: (ink, light) => `
    <path d="M256 150 L20 60 V240 Z M256 150 L492 60 V240 Z" fill="${light}" opacity="0.35"/>
    <path d="M222 190 H290 L312 430 H200 Z" fill="${light}"/>
    <path d="M217 245 H295 L300 300 H212 Z M207 355 H305 L309 400 H203 Z" fill="${ink}"/>
    <rect x="226" y="130" width="60" height="60" rx="6" fill="${ink}"/><circle cx="256" cy="158" r="20" fill="${light}"/>
    <path d="M210 130 L256 92 L302 130 Z" fill="${ink}"/>
    <path d="M0 430 Q128 392 256 430 T512 430 V512 H0 Z" fill="${ink}"/>`,
  waves: (ink, light) => `
    <circle cx="370" cy="140" r="62" fill="${light}"/>
    ${[0, 1, 2, 3]
      .map(
        (row) =>
          `<path d="M0 ${250 + row * 64} q64 -56 128 0 t128 0 t128 0 t128 0 V512 H0 Z" fill="${ink}" opacity="${0.3 + row * 0.2}"/>`,
      )
      .join("")}`,
  kettle: (ink, light) => `
    <path d="M150 250 Q150 190 256 190 T362 250 L390 420 H122 Z" fill="${light}"/>
    <path d="M176 205 Q176 96 256 96 T336 205" fill="none" stroke="${ink}" stroke-width="22" stroke-linecap="round"/>
    <path d="M366 270 L450 226 L440 262 L382 330 Z" fill="${light}"/>
    <circle cx="256" cy="182" r="18" fill="${ink}"/><rect x="112" y="416" width="288" height="26" rx="13" fill="${ink}"/>`,
  hills: (ink, light) => `
    <circle cx="150" cy="150" r="66" fill="${light}"/>
    <path d="M0 380 Q130 220 270 360 T512 300 V512 H0 Z" fill="${ink}" opacity="0.55"/>
    <path d="M0 450 Q180 330 320 430 T512 410 V512 H0 Z" fill="${ink}"/>`,
  rings: (ink, light) =>
    [210, 165, 120, 75, 30]
      .map((radius, index) => `<circle cx="256" cy="256" r="${radius}" fill="${index % 2 === 0 ? ink : light}"/>`)
      .join(""),
  leaf: (ink, light) => `
    <path d="M256 70 Q430 190 256 442 Q82 190 256 70 Z" fill="${light}"/>
    <path d="M256 130 V470 M256 230 L320 190 M256 290 L336 240 M256 230 L192 190 M256 290 L176 240 M256 350 L318 312 M256 350 L194 312"
      stroke="${ink}" stroke-width="14" stroke-linecap="round" fill="none"/>`,
  blocks: (ink, light) => `
    <rect x="96" y="256" width="96" height="176" rx="10" fill="${light}"/><rect x="208" y="176" width="96" height="256" rx="10" fill="${ink}"/>
    <rect x="320" y="96" width="96" height="336" rx="10" fill="${light}"/>`,
  moon: (ink, light) => `
    <path d="M330 96 A170 170 0 1 0 416 372 A136 136 0 1 1 330 96 Z" fill="${light}"/>
    <circle cx="392" cy="150" r="10" fill="${ink}"/><circle cx="430" cy="236" r="7" fill="${ink}"/><circle cx="352" cy="226" r="6" fill="${ink}"/>`,
};

/**
 * Draws a square PNG: a motif on a gradient.
 *
 * @param hue - The hue of the background, in degrees.
 */
export async function drawPicture(motif: Motif, hue: number): Promise<Uint8Array<ArrayBuffer>> {
  const from = `hsl(${hue} 45% 46%)`;
  const to = `hsl(${(hue + 40) % 360} 55% 30%)`;
  const ink = `hsl(${hue} 45% 16%)`;
  const light = `hsl(${(hue + 50) % 360} 80% 88%)`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">
    <linearGradient id="sky" x2="0" y2="1"><stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient>
    <rect width="${size}" height="${size}" fill="url(#sky)"/>${motifs[motif](ink, light)}</svg>`;
  return new Uint8Array(await sharp(Buffer.from(svg)).png().toBuffer());
}
