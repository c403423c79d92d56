import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { priceFromSqrtX96 } from "./price.ts";
import { decodeSwap, swapTopic } from "./swapLog.ts";

// Reference data beside the checkout, if it is available; it is not copied into the repository.
const file = new URL(
  "../../../../shared/data/uniswap-v3/ethereum-usdc-weth-500-2024-01-05.swaps.csv.gz",
  import.meta.url,
);

test.skipIf(!existsSync(file))("decodes a day of real swaps to their recorded ticks, prices and amounts", () => {
  const [header, ...lines] = gunzipSync(readFileSync(file)).toString().trim().split("\n");
  const column = (name: string) => header!.split(",").indexOf(name);
  let checked = 0;
  for (const line of lines) {
    const fields = line.split(",");
    const topic = (address: string) => `0x${address.slice(2).padStart(64, "0")}`;
    const swap = decodeSwap({
      address: "0x",
      topics: [swapTopic, topic(fields[column("sender")]!), topic(fields[column("recipient")]!)],
      data: fields[column("data")]!,
      ...{ blockNumber: "", blockHash: "", transactionHash: "", transactionIndex: "", logIndex: "" },
    })!;
    expect(swap.amount0).toBe(BigInt(fields[column("amount0")]!));
    expect(swap.amount1).toBe(BigInt(fields[column("amount1")]!));
    expect(swap.sqrtPriceX96).toBe(BigInt(fields[column("sqrt_price_x96")]!));
    expect(swap.tick).toBe(Number(fields[column("tick")]));
    // USDC (6 decimals) is token0: compares WETH in USDC with the price of the tick.
    const price = priceFromSqrtX96(swap.sqrtPriceX96, false, 6, 18);
    expect(Math.abs(Math.log(price / (1e12 / 1.0001 ** swap.tick)))).toBeLessThan(1.1e-4);
    checked++;
  }
  expect(checked).toBeGreaterThan(6000);
});
