import { seededUniform } from "@slipway/quant/signals/seededUniform";
import type { Bar } from "@slipway/server/markets/readBars";

const hour = 3600;

/**
 * Creates hours of a random walk with changing volatility, deterministic by seed. @param missing - The omitted hours.
 */
export function seededBars(
  seed: number,
  { count, lastTime, missing = [] }: { count: number; lastTime: number; missing?: readonly number[] },
): Bar[] {
  const uniform = seededUniform(seed);
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  let [price, log] = [100, 0];
  const bars = Array.from({ length: count }, (_, i): Bar => {
    log = 0.98 * log + 0.1 * normal();
    const size = 0.006 * Math.exp(log);
    const open = price;
    price *= Math.exp(size * normal());
    const high = Math.max(open, price) * Math.exp(0.5 * size * Math.abs(normal()));
    const low = Math.min(open, price) * Math.exp(-0.5 * size * Math.abs(normal()));
    const time = lastTime - (count - 1 - i) * hour;
    return { time, open, high, low, close: price, volume: 1, quoteVolume: null, trades: null };
  });
  return bars.filter((_, i) => !missing.includes(i));
}
