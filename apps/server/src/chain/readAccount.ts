import { SlipwayError } from "@slipway/protocol/errors";
import { type Hex, numberToHex } from "viem";
import { z } from "zod";
import type { Chain } from "./chain.ts";
import { fromChain } from "./chainUnavailable.ts";
import type { Head } from "./readHead.ts";

const quantity = z.string().regex(/^0x[0-9a-fA-F]+$/);

/** A wallet's own state at a block. */
export type Account = { nonce: bigint; nativeBalance: bigint };

/** Reads nonce and native balance of a wallet at the head. @throws SlipwayError `chain_unavailable`. */
export async function readAccount(chain: Pick<Chain, "request">, wallet: Hex, head: Head): Promise<Account> {
  const at = [wallet, numberToHex(head.number)];
  const answers = await fromChain(
    Promise.all([
      chain.request({ method: "eth_getTransactionCount", params: at }),
      chain.request({ method: "eth_getBalance", params: at }),
    ]),
  );
  const parsed = z.tuple([quantity, quantity]).safeParse(answers);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The chain's endpoint gave a malformed answer.");
  const [nonce, nativeBalance] = parsed.data.map(BigInt) as [bigint, bigint];
  return { nonce, nativeBalance };
}
