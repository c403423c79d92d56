import { readFileSync } from "node:fs";
import { bytes32, evmAddress } from "@slipway/protocol/primitives";
import { type Address, type Hex, parseAbi } from "viem";
import { z } from "zod";
import { createChainReader, type RpcClient } from "./createRpcClient.ts";
import type { UniswapSet } from "./deployAll.ts";
import { DeployError } from "./deployError.ts";
import { pinContract } from "./pinContract.ts";

const uniswapSetFile = z.strictObject({
  factory: evmAddress,
  router: evmAddress,
  router_kind: z.enum(["swap_router", "swap_router_02"]),
  quoter: evmAddress,
  wrapped_native: evmAddress,
  position_manager: evmAddress.optional(),
  pool_init_code_hash: bytes32.optional(),
});

const routerAbi = parseAbi(["function factoryV2() view returns (address)"]);

export type ExistingUniswap = { uniswap: UniswapSet; wrappedNative: Address; poolInitCodeHash: Hex | null };

/**
 * Reads the addresses of a chain's own Uniswap v3 from a file, and checks that each is a contract and that the router
 * is of the stated kind. Their connections are proven once the manifest is built.
 *
 * @throws DeployError `file_not_found`, `uniswap_set_invalid`, `contract_unsuitable`.
 */
export async function readUniswapSet(client: RpcClient, path: string): Promise<ExistingUniswap> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new DeployError("file_not_found", `there is no file ${path}`);
  }
  const file = parse(text, path);
  await Promise.all([
    pinContract(client, file.factory as Address, "Uniswap factory"),
    pinContract(client, file.router as Address, "Uniswap router"),
    pinContract(client, file.quoter as Address, "Uniswap quoter"),
    pinContract(client, file.wrapped_native as Address, "wrapped native"),
  ]);
  const kind = await detectRouterKind(client, file.router as Address);
  if (kind !== file.router_kind) {
    throw new DeployError(
      "contract_unsuitable",
      `the router ${file.router} is a ${kind}, ${path} names ${file.router_kind}`,
    );
  }
  return {
    uniswap: {
      factory: file.factory as Address,
      router: file.router as Address,
      routerKind: file.router_kind,
      quoter: file.quoter as Address,
    },
    wrappedNative: file.wrapped_native as Address,
    poolInitCodeHash: (file.pool_init_code_hash ?? null) as Hex | null,
  };
}

function parse(text: string, path: string): z.infer<typeof uniswapSetFile> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new DeployError("uniswap_set_invalid", `${path} is not JSON`);
  }
  const parsed = uniswapSetFile.safeParse(content);
  if (!parsed.success) throw new DeployError("uniswap_set_invalid", `${path}:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** Only the newer router has a v2 factory. */
async function detectRouterKind(client: RpcClient, router: Address): Promise<UniswapSet["routerKind"]> {
  try {
    await createChainReader(client).readContract({ address: router, abi: routerAbi, functionName: "factoryV2" });
    return "swap_router_02";
  } catch {
    return "swap_router";
  }
}
