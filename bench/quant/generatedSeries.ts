import { seededUniform } from "@slipway/quant/signals/seededUniform";
import type { Bars } from "./readData.ts";

const createNormal = (uniform: () => number) => () =>
  Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());

/** Creates positive hourly series with a daily and a weekly profile, a drifting level and noise. */
export function generateSeasonal(count: number, length: number): number[][] {
  return Array.from({ length: count }, (_, k) => {
    const normal = createNormal(seededUniform(k + 1));
    const phase = k % 24;
    let level = 5;
    let noise = 0;
    return Array.from({ length }, (_, t) => {
      level += 0.003 * normal();
      noise = 0.6 * noise + 0.05 * normal();
      const weekend = Math.floor(t / 24) % 7 >= 5 ? 0.6 : 1;
      return Math.exp(level + 0.4 * weekend * Math.sin((2 * Math.PI * (t + phase)) / 24) + noise);
    });
  });
}

/** Creates prices whose logarithms are random walks with slowly changing volatility. */
export function generatePrices(count: number, length: number): Bars[] {
  return Array.from({ length: count }, (_, k) => {
    const normal = createNormal(seededUniform(1_000 + k));
    let price = 100;
    let logVolatility = 0;
    const bars: Bars = { pair: `GENERATED${k}`, time: [], open: [], high: [], low: [], close: [], quoteVolume: [] };
    for (let t = 0; t < length; t++) {
      logVolatility = 0.98 * logVolatility + 0.1 * normal();
      const size = 0.006 * Math.exp(logVolatility);
      const open = price;
      price *= Math.exp(size * normal());
      bars.time.push(t * 3_600);
      bars.open.push(open);
      bars.high.push(Math.max(open, price) * Math.exp(0.5 * size * Math.abs(normal())));
      bars.low.push(Math.min(open, price) * Math.exp(-0.5 * size * Math.abs(normal())));
      bars.close.push(price);
      bars.quoteVolume.push(1_000 * price);
    }
    return bars;
  });
}
