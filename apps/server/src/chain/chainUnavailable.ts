import { SlipwayError } from "@slipway/protocol/errors";
import { BaseError } from "viem";
import { ZodError } from "zod";
import { RpcError } from "./rpcError.ts";

/** The RpcError inside an error, also where viem has wrapped it; null when there is none. */
export function rpcErrorOf(error: unknown): RpcError | null {
  if (error instanceof RpcError) return error;
  if (!(error instanceof BaseError)) return null;
  const found = error.walk((cause) => cause instanceof RpcError);
  return found instanceof RpcError ? found : null;
}

/**
 * What a caller is told when the chain's endpoint fails or answers in an unknown form: `chain_unavailable`. An error that is none of the chain's is
 * passed on as it is.
 */
export function chainUnavailable(error: unknown): unknown {
  const isMalformed = error instanceof ZodError;
  const rpc = rpcErrorOf(error);
  if (rpc === null && !isMalformed) return error;
  const message = isMalformed
    ? "The chain's endpoint gave a malformed answer."
    : rpc?.kind === "crowded"
      ? "The chain's endpoint is busy with other requests of this service."
      : undefined;
  return new SlipwayError("chain_unavailable", message, { cause: error });
}

/** Awaits an answer of the chain. @throws SlipwayError `chain_unavailable` when the endpoint fails. */
export async function fromChain<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw chainUnavailable(error);
  }
}
