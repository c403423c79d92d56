import { type PermitDomain, permitTypedData } from "@slipway/protocol/gas";
import { erc20Abi, permitAbi } from "@slipway/protocol/uniswapAbi";
import { bytesToHex, type Hex, parseSignature } from "viem";
import { privateKeyToAddress, signTypedData } from "viem/accounts";
import type { Ids } from "../../deps.ts";

/** What the permit is tried with: the domain that a signer would be shown. */
export type ProbeTerms = { token: Hex; spender: Hex; domain: PermitDomain; chainId: number; deadline: bigint };

const probedValue = 1n;

/**
 * Two calls, to be made one after the other on one state: a permit signed by a key that is thrown away, then the
 * allowance that it must have made. A token that only looks as if it had permit, or has another kind, fails the second.
 */
export async function permitProbe(ids: Pick<Ids, "bytes">, terms: ProbeTerms) {
  const { token, spender, deadline } = terms;
  const privateKey = bytesToHex(ids.bytes(32));
  const owner = privateKeyToAddress(privateKey);
  const permit = { owner, spender, value: probedValue, nonce: 0n, deadline };
  const typed = permitTypedData(permit, token, terms.domain, terms.chainId);
  const { r, s, yParity } = parseSignature(await signTypedData({ ...typed, privateKey } as never));
  return [
    {
      address: token,
      abi: permitAbi,
      functionName: "permit",
      args: [owner, spender, probedValue, deadline, 27 + yParity, r, s],
    },
    { address: token, abi: erc20Abi, functionName: "allowance", args: [owner, spender] },
  ] as const;
}

/** Whether the calls of `permitProbe` show a permit that works. */
export function permitWorks([permit, allowance]: [{ error?: unknown }, { result?: bigint }]): boolean {
  return permit.error === undefined && allowance.result === probedValue;
}
