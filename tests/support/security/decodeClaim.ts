import { Interface } from "ethers";
import { type Decoded, decodeIndependently } from "./decodeIndependently.ts";

// Written from the interfaces and decoded by ethers: nothing of the service's own builder is used here.
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

/** Decodes a transaction of Multicall3 into its calls. @throws unless each of them must succeed */
export function decodeAggregate(data: string): { to: string; data: string }[] {
  return [...read(multicall3, "aggregate3", data).calls].map(({ target, allowFailure, callData }: any) => {
    if (allowFailure) throw new Error("a call may fail");
    return { to: target, data: callData };
  });
}

/** Decodes the choice of a payout. */
export function decodePayout(data: string): string {
  return read(splitter, "setPayout", data).payout;
}

/** Effects of a call of a claim. */
export type ClaimPart = Extract<Decoded, { kind: "collect" | "settle" | "release" | "pay_owed" }> & { to: string };

const claimKinds = new Set(["collect", "settle", "release", "pay_owed"]);

/** Decodes a call of a claim. @throws when it is none of the functions that anyone may call for a payee */
export function decodeClaimCall({ to, data }: { to: string; data: string }): ClaimPart {
  const decoded = decodeIndependently({ to, data });
  if (!claimKinds.has(decoded.kind)) throw new Error(`a claim does ${decoded.kind}`);
  return { ...decoded, to } as ClaimPart;
}
