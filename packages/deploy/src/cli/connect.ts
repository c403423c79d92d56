import { hexToNumber, type Hex } from "viem";
import { call } from "../call.ts";
import { DeployError } from "../deployError.ts";
import { createRpcClient, type RpcClient } from "../rpcRequest.ts";
import { integerOption, type OptionValues, textOption } from "./parseOptions.ts";

/**
 * The chain that a command works on: `--rpc-url` or RPC_URL, and `--chain-id` if it must be a certain one.
 *
 * @throws DeployError `setting_missing`, `invalid_option`, `rpc_unavailable`, `wrong_chain`.
 */
export async function connect(
  values: OptionValues,
  env: NodeJS.ProcessEnv,
): Promise<{ client: RpcClient; chainId: number }> {
  const url = textOption(values, "rpc-url") ?? env.RPC_URL;
  if (url === undefined || url === "") {
    throw new DeployError("setting_missing", "there is no endpoint: give --rpc-url or set RPC_URL");
  }
  // The URL is not repeated: it may hold a key.
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new DeployError("invalid_option", "the endpoint is no http or https URL");
  }
  const client = createRpcClient(url);
  const chainId = hexToNumber((await call(client, "eth_chainId", [])) as Hex);
  const expected = integerOption(values, "chain-id");
  if (expected !== undefined && expected !== chainId) {
    throw new DeployError("wrong_chain", `the endpoint is of chain ${chainId}, --chain-id says ${expected}`);
  }
  return { client, chainId };
}
