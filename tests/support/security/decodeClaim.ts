import { Interface } from "ethers";
import { type Decoded, decodeIndependently } from "./decodeIndependently.ts";

// Written from the interfaces and decoded by ethers, without the service's own builder.
const multicall3 = new Interface([
  "function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable",
]);
const splitter = new Interface(["function setPayout(address payout)"]);

function read(contract: Interface, name: string, data: string): any {
  const fragment = contract.getFunction(name)!;
  if (!data.startsWith(fragment.selector)) throw new Error(`it is no ${name}: ${data.slice(0, 10)}`);
  const args = contract.decodeFunctionData(fragment, data);
  const again = contract.encodeFunctionData(fragment, args.toArray(true));
  if (again.toLowerCase() !== data.toLowerCase()) throw new Error(`${name}: the bytes hold more than the call`);
  return args;
}

/** Decodes a transaction of Multicall3 into its calls. @throws unless each call must succeed */
export function decodeAggregate(data: string): { to: string; data: string }[] {
  return [...read(multicall3, "aggregate3", data).calls].map(({ target, allowFailure, callData }: any) => {
    if (allowFailure) throw new Error("a call may fail");
    return { to: target, data: callData };
  });
}

/** Decodes a payout change. */
export function decodePayout(data: string): string {
  return read(splitter, "setPayout", data).payout;
}

/** The effects of a call of a claim. */
export type ClaimPart = Extract<Decoded, { kind: "collect" | "settle" | "release" | "pay_owed" }> & { to: string };

const claimKinds = new Set(["collect", "settle", "release", "pay_owed"]);

/** Decodes a call of a claim. @throws if it is not a function that anyone may call for a payee */
export function decodeClaimCall({ to, data }: { to: string; data: string }): ClaimPart {
  const decoded = decodeIndependently({ to, data });
  if (!claimKinds.has(decoded.kind)) throw new Error(`a claim does ${decoded.kind}`);
  return { ...decoded, to } as ClaimPart;
}
