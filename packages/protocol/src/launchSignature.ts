import type { Hex } from "viem";
import { z } from "zod";
import type { LaunchParams } from "./launchAddress.ts";
import { addressOut, amountOut, bytes32 } from "./primitives.ts";
import { launchTypes } from "./signedTypes.ts";
import { typedData } from "./typedData.ts";

/**
 * The typed data of `launchFor`. Amounts in base units, the deadline in Unix seconds, the epoch as a number of the
 * creator's cancellations.
 */
export const launchTypedData = typedData.extend({
  primaryType: z.literal("Launch"),
  message: z.object({
    creator: addressOut,
    params: z.object({
      name: z.string(),
      symbol: z.string(),
      contractURI: z.string(),
      splitter: addressOut,
      salt: bytes32,
      partner: addressOut,
      feeBps: z.int().describe("The fee of the pool in basis points."),
    }),
    buy: z.object({ recipient: addressOut, minimumOut: amountOut }),
    value: amountOut,
    deadline: amountOut,
    epoch: amountOut,
  }),
});

export type LaunchTypedData = z.infer<typeof launchTypedData>;

/** The terms that the creator of a launch signs, so that another account can send the launch. Amounts in base units. */
export type SignedLaunch = {
  creator: Hex;
  params: LaunchParams;
  buy: { recipient: Hex; minimumOut: bigint };
  /** The exact value of the transaction. */
  value: bigint;
  /** Unix seconds of block time. */
  deadline: bigint;
  /** The factory's `epochOf(creator)`: `cancel` increases it, which revokes the signatures of earlier epochs. */
  epoch: bigint;
};

/**
 * Creates the EIP-712 typed data of `launchFor`, the argument of `eth_signTypedData_v4`. ethers requires `types` without
 * `EIP712Domain`. Source: ILaunchFactory.launchFor and its digestOf.
 */
export function launchForTypedData(launch: SignedLaunch, launchFactory: Hex, chainId: number): LaunchTypedData {
  const { creator, params, buy, value, deadline, epoch } = launch;
  const { name, symbol, contractURI, splitter, salt, partner, feeBps } = params;
  return {
    domain: { name: "Slipway Launch Factory", version: "1", chainId, verifyingContract: launchFactory },
    types: launchTypes,
    primaryType: "Launch",
    message: {
      creator,
      params: { name, symbol, contractURI, splitter, salt, partner, feeBps },
      buy: { recipient: buy.recipient, minimumOut: buy.minimumOut.toString() },
      value: value.toString(),
      deadline: deadline.toString(),
      epoch: epoch.toString(),
    },
  };
}
