import { gasStationAbi } from "@slipway/protocol/contracts/gasStation";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import { type GasTopUp, type GasTopUpRequest, topUpTypedData } from "@slipway/protocol/gas";
import type { GasStationToken } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import { permitTypedData } from "@slipway/protocol/typedData";
import { erc20Abi } from "@slipway/protocol/uniswap";
import { type Hex, zeroHash } from "viem";
import { type Head, readHead, tryReadContracts } from "../../chain/readChain.ts";
import { awaitChain } from "../../chain/rpcError.ts";
import type { Deps } from "../../deps.ts";
import { findGasQuote, type StoredGasQuote } from "../../relayer/gasQuotes.ts";
import { processWalletTransactions } from "../../relayer/processPendingTransactions.ts";
import { readFeesPerGas } from "../../relayer/readFeesPerGas.ts";
import { parseWalletSignature, type WalletSignature } from "../../transactions/parseWalletSignature.ts";
import { simulate } from "../../transactions/simulate.ts";
import { computeGasLimit, readL1Gas } from "../../transactions/unsignedResult.ts";
import { readNativePrice } from "./readNativePrice.ts";
import {
  type AvailableStation,
  checkPayout,
  createStationUnavailable,
  requireAcceptedToken,
  requireAvailableStation,
} from "./requireAvailableStation.ts";
import { createQuoteConsumed, sendTopUp, type TopUpCaller } from "./sendTopUp.ts";

/**
 * Gas that the station requires to remain before it pays out: a simulation reports only the gas used.
 * Source: GasStation.PAYOUT_GAS_NEEDED.
 */
const payoutGas = 110_000n;

/**
 * Checks a signed quote and relays it: checks the signature, then balance and price at the head, simulates the top-up,
 * and sends it.
 *
 * @throws SlipwayError `quote_expired`, `quote_consumed`, `signature_invalid`, `insufficient_balance`,
 * `simulation_reverted`, `invalid_fields`, `rate_limited`, `gas_station_unavailable`, `chain_unavailable`.
 */
export async function relayTopUp(deps: Deps, caller: TopUpCaller, request: GasTopUpRequest): Promise<GasTopUp> {
  const station = await requireAvailableStation(deps);
  const quote = await loadQuote(deps, caller.accountId, request);
  const token = requireAcceptedToken(deps, station.manifest, quote.token);
  const wallet = checksummed(quote.wallet);
  const terms = {
    quoteId: quote.id,
    wallet,
    token: checksummed(quote.token),
    tokenAmount: quote.tokenAmount,
    nativeAmount: quote.nativeAmount,
    deadline: quote.deadline,
  };
  const typed = topUpTypedData(terms, station.address, station.manifest.chain_id);
  const signature = await parseWalletSignature(request.signature, typed, wallet, "signature");

  const sender = { chainId: quote.chainId, sender: station.status.relayer.toLowerCase() };
  const [head, chainNonce] = await Promise.all([
    readHead(deps.chain, station.manifest.chain_id),
    awaitChain(deps.chain.client.getTransactionCount({ address: station.status.relayer })),
    processWalletTransactions(deps, sender, quote.wallet),
  ]);
  if (head.timestamp > quote.deadline) throw new SlipwayError("quote_expired");
  checkPayout(deps, station, quote.nativeAmount);
  const isAllowed = await checkWallet(deps, station, token, quote, head);
  const permit = isAllowed ? null : await parsePermit(request, station, token, quote);

  const data = encodeCall({
    abi: gasStationAbi,
    functionName: "topUp",
    args: [terms, signature.bytes, toPermitArgument(quote, permit)],
  });
  const call = { from: station.status.relayer, to: station.address, data, value: 0n };
  const [simulation, l1Gas, fees] = await Promise.all([
    simulate(deps.chain, call, head),
    readL1Gas(deps.chain, station.manifest.chain_id, call, head),
    readFeesPerGas(deps.chain, station.manifest.chain_id, head),
  ]);
  const hash = await sendTopUp(deps, caller, quote, {
    station: station.address,
    data,
    gasLimit: computeGasLimit(simulation, l1Gas) + payoutGas,
    chainNonce: BigInt(chainNonce),
    fees,
  });
  return { status: "pending", hash, next: `GET /gas/topups/${hash} until it is confirmed, then send your transaction` };
}

/** Loads the caller's unused quote for this wallet and the current station. */
async function loadQuote(deps: Deps, accountId: string, request: GasTopUpRequest): Promise<StoredGasQuote> {
  const id = request.quote_id.toLowerCase() as Hex;
  const quote = await findGasQuote(deps.db.api, accountId, id);
  if (quote === null) {
    throw new SlipwayError("invalid_fields", "Your account has no such quote.", { field: "quote_id" });
  }
  if (quote.wallet !== request.wallet.toLowerCase()) {
    throw new SlipwayError("invalid_fields", "The quote was issued for another wallet.", { field: "wallet" });
  }
  if (quote.isConsumed) throw await createQuoteConsumed(deps, id);
  const { manifest } = deps.chain.manifestState();
  const isCurrent =
    manifest?.chain_id === quote.chainId && manifest.gas_station?.address.toLowerCase() === quote.station;
  if (!isCurrent)
    throw new SlipwayError("quote_expired", "The quote was issued for another station; request a new quote.");
  return quote;
}

/**
 * Checks that the wallet can pay and that the price is still valid.
 *
 * @returns whether the allowance covers the amount.
 *
 * @throws SlipwayError `insufficient_balance`, `quote_consumed`, `quote_expired`, `gas_station_unavailable`.
 */
async function checkWallet(
  deps: Deps,
  station: AvailableStation,
  token: GasStationToken,
  quote: StoredGasQuote,
  head: Head,
): Promise<boolean> {
  const asset = { address: token.address as Hex, abi: erc20Abi } as const;
  const wallet = checksummed(quote.wallet);
  const [priced, read] = await Promise.allSettled([
    readNativePrice(deps, station, token, quote.nativeAmount),
    tryReadContracts(deps.chain, head.number, [
      { ...asset, functionName: "balanceOf", args: [wallet] },
      { ...asset, functionName: "allowance", args: [wallet, station.address] },
      { address: station.address, abi: gasStationAbi, functionName: "used", args: [quote.id] },
    ]),
  ]);
  if (read.status === "rejected") throw read.reason;
  const [balance, allowance, used] = read.value;
  if (balance.result === undefined || allowance.result === undefined) {
    throw createStationUnavailable(`${token.symbol} does not answer.`);
  }
  if (used.result) throw new SlipwayError("quote_consumed");
  if (balance.result < quote.tokenAmount) {
    throw new SlipwayError("insufficient_balance", `The wallet does not hold the quoted ${token.symbol}.`, {
      details: {
        asset: checksummed(token.address),
        needed: quote.tokenAmount.toString(),
        available: balance.result.toString(),
      },
    });
  }
  if (priced.status === "rejected") throw priced.reason;
  // A quote of three minutes is an option on the price, so it expires if the price moves past the markup.
  if (priced.value.fairAmount > quote.tokenAmount) {
    throw new SlipwayError("quote_expired", "The price has moved past the quote; request a new quote.");
  }
  return allowance.result >= quote.tokenAmount;
}

/** Parses the signed permit; null if the quote offered no permit. The simulation then reports the missing allowance. */
async function parsePermit(
  request: GasTopUpRequest,
  { address, manifest }: AvailableStation,
  token: GasStationToken,
  quote: StoredGasQuote,
): Promise<WalletSignature | null> {
  if (quote.permitNonce === null || token.permit_domain === null) return null;
  if (request.permit_signature === undefined) {
    throw new SlipwayError("signature_invalid", "The station has no token allowance: sign permit_typed_data too.", {
      field: "permit_signature",
    });
  }
  const wallet = checksummed(quote.wallet);
  const { tokenAmount: value, permitNonce: nonce, deadline } = quote;
  const permit = { owner: wallet, spender: address, value, nonce, deadline };
  const typed = permitTypedData(permit, checksummed(token.address), token.permit_domain, manifest.chain_id);
  return await parseWalletSignature(request.permit_signature, typed, wallet, "permit_signature");
}

/** Encodes a permit; all fields are zero without a permit (IGasStation.Permit). */
function toPermitArgument(quote: StoredGasQuote, permit: WalletSignature | null) {
  if (permit === null) return { value: 0n, deadline: 0n, v: 0, r: zeroHash, s: zeroHash };
  return { value: quote.tokenAmount, deadline: quote.deadline, v: permit.v, r: permit.r, s: permit.s };
}
