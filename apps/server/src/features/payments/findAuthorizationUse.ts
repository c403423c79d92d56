import { authorizedTokenAbi } from "@slipway/protocol/authorizedToken";
import { type Hex, hexToBigInt, padHex, sliceHex, toEventHash } from "viem";
import type { AuthorizationTerms } from "./queries.ts";

/** A log of a transaction, in the order of the block. */
export type TransactionLog = { address: Hex; topics: readonly Hex[]; data: Hex };

/** The effect of a transaction on an authorization. `transferred`: the amount that the payer transferred by it; null if unknown. */
export type AuthorizationUse = { kind: "cancelled" } | { kind: "used"; transferred: { to: Hex; value: bigint } | null };

const topicOf = (name: string) =>
  toEventHash(authorizedTokenAbi.find((entry) => entry.type === "event" && entry.name === name) as never);

/** The topics of the events of EIP-3009 and ERC-20. */
export const authorizationTopics = {
  used: topicOf("AuthorizationUsed"),
  cancelled: topicOf("AuthorizationCanceled"),
  transfer: topicOf("Transfer"),
};

/**
 * Finds what the logs of a transaction say about an authorization; null if nothing. The transfer of an authorization is the
 * payer's first transfer of the asset after its event, before the event of another authorization: the token emits both in
 * one call, and calls no other code in between. Another transfer in the same transaction therefore pays for nothing.
 *
 * @param logs - All logs of one transaction, in their order.
 */
export function findAuthorizationUse(
  logs: readonly TransactionLog[],
  { asset, payer, nonce }: Pick<AuthorizationTerms, "asset" | "payer" | "nonce">,
): AuthorizationUse | null {
  const { used, cancelled, transfer } = authorizationTopics;
  const owner = padHex(payer, { size: 32 });
  const ofAsset = logs.filter(({ address }) => address.toLowerCase() === asset);
  const isEvent = ({ topics }: TransactionLog) => topics[0] === used || topics[0] === cancelled;
  const index = ofAsset.findIndex(
    (log) => isEvent(log) && log.topics[1]?.toLowerCase() === owner && log.topics[2]?.toLowerCase() === nonce,
  );
  if (index === -1) return null;
  if (ofAsset[index]!.topics[0] === cancelled) return { kind: "cancelled" };
  const following = ofAsset.slice(index + 1);
  const next = following.findIndex(isEvent);
  const found = (next === -1 ? following : following.slice(0, next)).find(
    ({ topics }) => topics[0] === transfer && topics[1]?.toLowerCase() === owner && topics.length === 3,
  );
  if (found === undefined || found.data === "0x") return { kind: "used", transferred: null };
  return {
    kind: "used",
    transferred: { to: sliceHex(found.topics[2]!, 12).toLowerCase() as Hex, value: hexToBigInt(found.data) },
  };
}
