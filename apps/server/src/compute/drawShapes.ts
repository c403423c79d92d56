type Box = { width: number; height: number };

const thickness = 4;

/**
 * Draws a price line with the area below it as RGBA pixels. The horizontal axis is time; a constant price is a line in
 * the middle.
 *
 * @param line - At least two points, ascending in time.
 * @param color - `#rrggbb`.
 */
export function drawLine(line: readonly { t: number; price: number }[], { width, height }: Box, color: string): Buffer {
  const rgb = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  const prices = line.map(({ price }) => price);
  const minPrice = Math.min(...prices);
  const maxPrice = Math.max(...prices);
  const start = line[0]!.t;
  const end = line.at(-1)!.t;
  const toX = (t: number) => thickness + ((t - start) / Math.max(1, end - start)) * (width - 2 * thickness - 1);
  const toY = (price: number) =>
    maxPrice > minPrice
      ? thickness + (1 - (price - minPrice) / (maxPrice - minPrice)) * (height - 2 * thickness - 1)
      : (height - 1) / 2;
  const points = line.map(({ t, price }) => [toX(t), toY(price)] as const);

  const alpha = new Float64Array(width * height);
  const cover = (x: number, y: number, value: number) => {
    const at = y * width + x;
    if (value > alpha[at]!) alpha[at] = value;
  };
  for (let index = 1; index < points.length; index++) {
    const [[x1, y1], [x2, y2]] = [points[index - 1]!, points[index]!];
    for (let x = Math.max(0, Math.floor(x1 - thickness)); x <= Math.min(width - 1, Math.ceil(x2 + thickness)); x++) {
      const onLine = x2 > x1 ? y1 + ((y2 - y1) * (Math.min(Math.max(x, x1), x2) - x1)) / (x2 - x1) : Math.max(y1, y2);
      // The area below the line, fading towards the bottom.
      if (x >= x1 && x <= x2) {
        for (let y = Math.ceil(onLine); y < height; y++) cover(x, y, 0.22 * (1 - y / height));
      }
    }
    const top = Math.min(y1, y2) - thickness;
    const bottom = Math.max(y1, y2) + thickness;
    for (let y = Math.max(0, Math.floor(top)); y <= Math.min(height - 1, Math.ceil(bottom)); y++) {
      for (let x = Math.max(0, Math.floor(x1 - thickness)); x <= Math.min(width - 1, Math.ceil(x2 + thickness)); x++) {
        const along = ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / Math.max(1e-9, (x2 - x1) ** 2 + (y2 - y1) ** 2);
        const at = Math.min(1, Math.max(0, along));
        const distance = Math.hypot(x - x1 - at * (x2 - x1), y - y1 - at * (y2 - y1));
        cover(x, y, Math.min(1, Math.max(0, thickness / 2 + 0.5 - distance)));
      }
    }
  }
  const pixels = Buffer.alloc(width * height * 4);
  for (const [at, value] of alpha.entries()) pixels.set([...rgb, Math.round(value * 255)], at * 4);
  return pixels;
}

/** Creates a square of RGBA pixels, opaque within round corners. */
export function roundCorners(side: number, radius: number): Buffer {
  const pixels = Buffer.alloc(side * side * 4, 255);
  /** Distance from the centre of the nearest corner's arc along one axis; 0 between the corners. */
  const toOverlap = (at: number) => Math.max(0, radius - 0.5 - at, at - (side - 0.5 - radius));
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const dx = toOverlap(x);
      const dy = toOverlap(y);
      pixels[(y * side + x) * 4 + 3] = Math.round(255 * Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(dx, dy))));
    }
  }
  return pixels;
}
