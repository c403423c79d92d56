// Waits until the price of a token has moved by a share, and ends. Needs no key.
// Run: node examples/priceAlert.ts TOKEN 0.01
import { createClient } from "@slipway/sdk/createClient";
import { streamEvents } from "@slipway/sdk/streamEvents";
import { dev } from "./devFile.ts";

const [token = "", share = "0.01"] = process.argv.slice(2);
const client = createClient({ baseUrl: dev.base_url });
const readPrice = async () => (await client.getToken({ address: token })).price_eth;

let start = await readPrice();
console.log(`start ${start}`);
const stop = new AbortController();
for await (const message of streamEvents({ baseUrl: dev.base_url, token, signal: stop.signal })) {
  // `retracted`: a reorganisation removed trades. `snapshot`: messages were skipped. Read the price again after both.
  const isGap = message.type === "retracted" || message.type === "snapshot";
  if (message.type !== "trade" && !isGap) continue;
  const price = message.type === "trade" ? message.data.trade.price_eth : await readPrice();
  // An unknown price is null, never zero.
  if (price === null) continue;
  start ??= price;
  const moved = price / start - 1;
  if (Math.abs(moved) < Number(share)) continue;
  console.log(`alert: ${price}, moved by ${(moved * 100).toFixed(2)}%`);
  break;
}
stop.abort();
