import type { AssetChange } from "@slipway/protocol/transaction";
import { checksummed } from "@slipway/protocol/primitives";
import { type Hex, hexToBigInt, zeroAddress } from "viem";

/** A log as a simulation or a trace gives it. */
export type SimulatedLog = { address: Hex; topics: readonly Hex[]; data: Hex };

/** keccak256("Transfer(address,address,uint256)"). */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/** Where `traceTransfers` of eth_simulateV1 logs native transfers. */
const nativeTransferEmitter = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

/**
 * What changed hands, in order: ERC-20 transfers by their events, native ones by the node's trace, with the zero address
 * as their asset. Transfers of nothing are left out, and so are those of ERC-721 (four topics).
 */
export function assetChanges(logs: readonly SimulatedLog[]): AssetChange[] {
  const changes: AssetChange[] = [];
  for (const { address, topics, data } of logs) {
    const [topic, from, to] = topics;
    if (topic !== transferTopic || topics.length !== 3 || data.length !== 66) continue;
    const amount = hexToBigInt(data);
    if (amount === 0n) continue;
    const isNative = address.toLowerCase() === nativeTransferEmitter;
    changes.push({
      asset: isNative ? zeroAddress : checksummed(address),
      from: checksummed(`0x${from!.slice(26)}`),
      to: checksummed(`0x${to!.slice(26)}`),
      amount: amount.toString(),
    });
  }
  return changes;
}
