import { SlipwayError } from "@slipway/protocol/errors";
import { type GasQuote, type GasQuoteRequest, gasQuoteValiditySeconds, topUpTypedData } from "@slipway/protocol/gas";
import type { GasStationToken } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import { type PermitDomain, permitTypedData } from "@slipway/protocol/typedData";
import { erc20Abi, permitAbi } from "@slipway/protocol/uniswap";
import { bytesToHex, type Hex, parseSignature } from "viem";
import { privateKeyToAddress, signTypedData } from "viem/accounts";
import { type Head, readHead, tryReadContracts } from "../../chain/readChain.ts";
import { awaitChain } from "../../chain/rpcError.ts";
import type { Deps } from "../../deps.ts";
import type { Ids } from "../../ids.ts";
import { insertGasQuote } from "../../relayer/gasQuotes.ts";
import { readFeesPerGas } from "../../relayer/readFeesPerGas.ts";
import { getUnixSeconds, limitHeadTime } from "../../transactions/validity.ts";
import type { NativePrice } from "./nativePrice.ts";
import { readNativePrice } from "./readNativePrice.ts";
import {
  type AvailableStation,
  checkPayout,
  createStationUnavailable,
  requireAcceptedToken,
  requireAvailableStation,
} from "./requireAvailableStation.ts";

/** The maximum age of the head in seconds; an older one means that the chain has stopped. */
const maxHeadAgeSeconds = 300;

/**
 * Prices the native that a wallet lacks for a gas limit, and stores the quote. Two round trips: head and balance; price,
 * and the token at the head's block.
 *
 * @throws SlipwayError `invalid_fields`, `gas_station_unavailable`, `manifest_unverified`, `chain_unavailable`.
 */
export async function quoteTopUp(deps: Deps, accountId: string, request: GasQuoteRequest): Promise<GasQuote> {
  const station = await requireAvailableStation(deps);
  const { manifest, address } = station;
  const token = requireAcceptedToken(deps, manifest, request.token);
  const wallet = checksummed(request.wallet);
  const [head, balance] = await Promise.all([
    readHead(deps.chain, manifest.chain_id),
    awaitChain(deps.chain.client.getBalance({ address: wallet })),
  ]);
  requireRecentHead(deps, head);
  // The lowest price of the endpoints: a single one could otherwise make the wallet buy any amount.
  const gasPrice = (await readFeesPerGas(deps.chain, manifest.chain_id, head)).maxFee;
  const needed = BigInt(request.gas_limit) * gasPrice;
  const amountInWei = needed > balance ? needed - balance : 0n;
  checkPayout(deps, station, amountInWei);

  const deadline = limitHeadTime(getUnixSeconds(deps.clock), head) + gasQuoteValiditySeconds;
  const { price, allowance, permitNonce } = await readTerms(deps, station, token, {
    wallet,
    amountInWei,
    deadline,
    head,
  });
  const quoteId = bytesToHex(deps.ids.bytes(32));
  const shared = {
    quote_id: quoteId,
    token: checksummed(token.address),
    eth_needed: needed.toString(),
    eth_balance: balance.toString(),
    gas_price: gasPrice.toString(),
    eth_usd: price.ethUsd,
    deadline: Number(deadline),
    station: address,
  };
  if (amountInWei === 0n) {
    const nothing = { needs_top_up: false, needs_permit: false, token_amount: "0", eth_amount: "0" };
    return { ...shared, ...nothing, typed_data: null, permit_typed_data: null, next: null };
  }

  const isAllowed = allowance >= price.tokenAmount;
  const offeredNonce = isAllowed ? null : permitNonce;
  const terms = {
    quoteId,
    wallet,
    token: checksummed(token.address),
    tokenAmount: price.tokenAmount,
    nativeAmount: amountInWei,
    deadline,
  };
  await insertGasQuote(deps.db.api, {
    id: quoteId,
    accountId,
    chainId: manifest.chain_id,
    station: address.toLowerCase(),
    wallet: wallet.toLowerCase(),
    token: token.address.toLowerCase(),
    tokenAmount: price.tokenAmount,
    nativeAmount: amountInWei,
    deadline,
    permitNonce: offeredNonce,
  });
  const permit = { owner: wallet, spender: address, value: price.tokenAmount, nonce: offeredNonce ?? 0n, deadline };
  return {
    ...shared,
    needs_top_up: true,
    needs_permit: offeredNonce !== null,
    token_amount: price.tokenAmount.toString(),
    eth_amount: amountInWei.toString(),
    typed_data: topUpTypedData(terms, address, manifest.chain_id),
    permit_typed_data:
      offeredNonce === null || token.permit_domain === null
        ? null
        : permitTypedData(permit, terms.token, token.permit_domain, manifest.chain_id),
    next: describeNextStep(isAllowed, offeredNonce !== null, token.symbol),
  };
}

function describeNextStep(isAllowed: boolean, hasPermit: boolean, symbol: string): string {
  if (isAllowed) return "Sign typed_data, then POST /gas/topup";
  if (hasPermit) return "Sign typed_data and permit_typed_data, then POST /gas/topup";
  return (
    `${symbol} has no permit and the station has no allowance of token_amount: first send an approval to the token, ` +
    "which needs some native; then sign typed_data and POST /gas/topup"
  );
}

type TermsRequest = { wallet: Hex; amountInWei: bigint; deadline: bigint; head: Head };

/** Reads price, allowance, and the wallet's permit nonce (null if the token has no working permit). */
async function readTerms(
  deps: Deps,
  station: AvailableStation,
  token: GasStationToken,
  { wallet, amountInWei, deadline, head }: TermsRequest,
): Promise<{ price: NativePrice; allowance: bigint; permitNonce: bigint | null }> {
  const { manifest, address } = station;
  const asset = token.address as Hex;
  const domain = token.permit ? token.permit_domain : null;
  const probe =
    domain === null
      ? []
      : await createPermitProbe(deps.ids, {
          token: asset,
          spender: address,
          domain,
          chainId: manifest.chain_id,
          deadline,
        });
  const [price, reads] = await Promise.all([
    readNativePrice(deps, station, token, amountInWei),
    tryReadContracts(deps.chain, head.number, [
      { address: asset, abi: erc20Abi, functionName: "allowance", args: [wallet, address] },
      { address: asset, abi: permitAbi, functionName: "nonces", args: [wallet] },
      ...probe,
    ]),
  ]);
  const [allowance, nonce, ...probeResults] = reads as unknown as [
    { result?: bigint },
    { result?: bigint },
    { error?: Error },
    { result?: bigint },
  ];
  if (allowance.result === undefined) throw createStationUnavailable(`${token.symbol} does not answer.`);
  const hasPermit = domain !== null && nonce.result !== undefined && hasWorkingPermit(probeResults);
  return {
    price,
    allowance: allowance.result,
    permitNonce: hasPermit ? (nonce.result ?? null) : null,
  };
}

/** @throws SlipwayError `chain_unavailable` if the newest block is too old. */
function requireRecentHead(deps: Pick<Deps, "clock">, head: Head): void {
  if (deps.clock.now() / 1000 - Number(head.timestamp) > maxHeadAgeSeconds) {
    throw new SlipwayError("chain_unavailable", "The chain has stopped: its newest block is minutes old.");
  }
}

/** The terms of the probe; `domain` is the domain that wallets sign. */
type ProbeTerms = { token: Hex; spender: Hex; domain: PermitDomain; chainId: number; deadline: bigint };

const probeValue = 1n;

/**
 * Creates two calls for one state, in this order: a permit signed by a temporary key, and a read of the allowance that
 * the permit must have set. For a token without a working permit, or with another kind of permit, the read differs.
 */
async function createPermitProbe(ids: Pick<Ids, "bytes">, terms: ProbeTerms) {
  const { token, spender, deadline } = terms;
  const privateKey = bytesToHex(ids.bytes(32));
  const owner = privateKeyToAddress(privateKey);
  const permit = { owner, spender, value: probeValue, nonce: 0n, deadline };
  const typed = permitTypedData(permit, token, terms.domain, terms.chainId);
  const { r, s, yParity } = parseSignature(await signTypedData({ ...typed, privateKey } as never));
  return [
    {
      address: token,
      abi: permitAbi,
      functionName: "permit",
      args: [owner, spender, probeValue, deadline, 27 + yParity, r, s],
    },
    { address: token, abi: erc20Abi, functionName: "allowance", args: [owner, spender] },
  ] as const;
}

/** Whether the calls of `createPermitProbe` show a working permit. */
function hasWorkingPermit([permit, allowance]: [{ error?: unknown }, { result?: bigint }]): boolean {
  return permit.error === undefined && allowance.result === probeValue;
}
