import { SlipwayError } from "@slipway/protocol/errors";
import { hexToBigInt, type Hex } from "viem";
import { z } from "zod";
import type { Chain } from "./chain.ts";
import { fromChain } from "./chainUnavailable.ts";

const quantity = z.string().regex(/^0x[0-9a-fA-F]+$/);
const block = z.object({ number: quantity, timestamp: quantity, hash: quantity, baseFeePerGas: quantity.optional() });

/** The block that a request is answered at; everything it reads and simulates is of this block. */
export type Head = {
  number: bigint;
  /** Unix seconds of the chain's own time. */
  timestamp: bigint;
  hash: Hex;
  gasPriceInWei: bigint;
  /** The block's base fee; left out where a chain has none. */
  baseFeeInWei?: bigint;
};

/**
 * Reads the newest block and the gas price, and makes sure that the endpoint is still of the manifest's chain.
 *
 * @throws SlipwayError `chain_unavailable`, `manifest_unverified` when the endpoint answers for another chain.
 */
export async function readHead(chain: Pick<Chain, "request">, chainId: number): Promise<Head> {
  const [latest, gasPrice, answeredId] = await fromChain(
    Promise.all([
      chain.request({ method: "eth_getBlockByNumber", params: ["latest", false] }),
      chain.request({ method: "eth_gasPrice" }),
      chain.request({ method: "eth_chainId" }),
    ]),
  );
  const parsed = z.tuple([block, quantity, quantity]).safeParse([latest, gasPrice, answeredId]);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The chain's endpoint gave a malformed answer.");
  const [head, price, id] = parsed.data;
  if (Number(id) !== chainId) {
    throw new SlipwayError(
      "manifest_unverified",
      "The chain's endpoint answers for another chain than the manifest's.",
    );
  }
  return {
    number: hexToBigInt(head.number as Hex),
    timestamp: hexToBigInt(head.timestamp as Hex),
    hash: head.hash as Hex,
    gasPriceInWei: hexToBigInt(price as Hex),
    ...(head.baseFeePerGas === undefined ? {} : { baseFeeInWei: hexToBigInt(head.baseFeePerGas as Hex) }),
  };
}
