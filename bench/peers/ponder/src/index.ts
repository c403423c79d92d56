import { ponder } from "ponder:registry";
import { candle, token, trade } from "ponder:schema";

const weth = process.env.WRAPPED_NATIVE!.toLowerCase();
const intervals = [60, 300, 3600, 86400];

ponder.on("Factory:Launched", async ({ event, context }) => {
  const { token: address, pool } = event.args;
  await context.db.insert(token).values({
    pool,
    address,
    weth0: weth < address.toLowerCase(),
    createdBlock: event.block.number,
    createdAt: Number(event.block.timestamp),
    price: 0,
    volume24h: 0,
    volumeTotal: 0,
    trades: 0,
    hours: "[]",
    lastHour: 0,
  });
});

ponder.on("Pool:Swap", async ({ event, context }) => {
  const { db } = context;
  const pool = event.log.address;
  const t = await db.find(token, { pool });
  if (!t) return;
  const { amount0, amount1, sqrtPriceX96 } = event.args;
  const [wethDelta, tokenDelta] = t.weth0 ? [amount0, amount1] : [amount1, amount0];
  const root = Number(sqrtPriceX96) / 2 ** 96;
  const price = t.weth0 ? 1 / (root * root) : root * root;
  const amountWeth = wethDelta < 0n ? -wethDelta : wethDelta;
  const amountToken = tokenDelta < 0n ? -tokenDelta : tokenDelta;
  const volume = Number(amountWeth) / 1e18;
  const ts = Number(event.block.timestamp);
  await db.insert(trade).values({
    id: `${event.transaction.hash}-${event.log.logIndex}`,
    pool,
    trader: event.transaction.from,
    buy: wethDelta > 0n,
    amountWeth,
    amountToken,
    price,
    block: Number(event.block.number),
    ts,
    tx: event.transaction.hash,
    logIndex: event.log.logIndex,
  });
  for (const interval of intervals) {
    await db
      .insert(candle)
      .values({
        pool,
        interval,
        bucket: ts - (ts % interval),
        open: price,
        high: price,
        low: price,
        close: price,
        volume,
        count: 1,
      })
      .onConflictDoUpdate((row) => ({
        high: Math.max(row.high, price),
        low: Math.min(row.low, price),
        close: price,
        volume: row.volume + volume,
        count: row.count + 1,
      }));
  }
  const hour = Math.floor(ts / 3600);
  const hours = JSON.parse(t.hours) as [number, number][];
  while (hours.length > 0 && hours[0]![0] <= hour - 24) hours.shift();
  const last = hours.at(-1);
  if (last && last[0] === hour) last[1] += volume;
  else hours.push([hour, volume]);
  await db.update(token, { pool }).set({
    price,
    volume24h: hours.reduce((sum, [, inHour]) => sum + inHour, 0),
    volumeTotal: t.volumeTotal + volume,
    trades: t.trades + 1,
    hours: JSON.stringify(hours),
    lastHour: hour,
  });
});
