import { gasQuoteValiditySeconds, topUpTypedData } from "@slipway/protocol/gas";
import { permitTypedData } from "@slipway/protocol/typedData";
import { example, type OperationExamples, sample } from "./example.ts";

const deadline = 1_795_331_265n + gasQuoteValiditySeconds;
const quoteId = `0x${"4c".repeat(32)}` as const;
const tokenAmount = 730_000n;
const nativeAmount = 234_000_000_000_000n;

const quote = {
  quote_id: quoteId,
  needs_top_up: true,
  needs_permit: true,
  token: sample.stablecoin,
  token_amount: String(tokenAmount),
  eth_amount: String(nativeAmount),
  eth_needed: String(nativeAmount),
  eth_balance: "0",
  gas_price: "1170000000",
  eth_usd: "3000",
  deadline: Number(deadline),
  station: sample.station,
  typed_data: topUpTypedData(
    { quoteId, wallet: sample.trader, token: sample.stablecoin, tokenAmount, nativeAmount, deadline },
    sample.station,
    sample.chainId,
  ),
  permit_typed_data: permitTypedData(
    { owner: sample.trader, spender: sample.station, value: tokenAmount, nonce: 0n, deadline },
    sample.stablecoin,
    { name: "Global Dollar", version: "1" },
    sample.chainId,
  ),
  next: "Sign typed_data and permit_typed_data, then POST /gas/topup",
};

const hash = `0x${"9a".repeat(32)}`;
const signature = `0x${"5f".repeat(64)}1b`;

/** Network-fee top-ups. */
export const gasExamples: Record<string, OperationExamples> = {
  quoteGas: {
    request: example({ wallet: sample.trader, token: "USDG", gas_limit: 200_000 }),
    responses: { 200: example(quote) },
  },
  topUpGas: {
    request: example({ quote_id: quoteId, wallet: sample.trader, signature, permit_signature: signature }),
    responses: {
      200: example({
        status: "pending",
        hash,
        next: `GET /gas/topups/${hash} until it is confirmed, then send your transaction`,
      }),
    },
  },
  getTopUp: { responses: { 200: example({ status: "confirmed", hash, block_number: "31" }) } },
};
