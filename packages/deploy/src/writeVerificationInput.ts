import { join } from "node:path";
import type { Manifest } from "@slipway/protocol/manifest";
import { type Address, encodeAbiParameters, type Hex } from "viem";
import { computeLaunchConstants } from "./computeLaunchConstants.ts";
import { type ContractName, readArtifact } from "./readArtifact.ts";
import { readVerificationInput } from "./readVerificationInput.ts";
import { writeFileDurably } from "./writeFileDurably.ts";

/** The data that an explorer needs in addition to the sources. */
type Entry = {
  contract: string;
  address: Address | null;
  compiler: string;
  constructor_arguments: Hex | null;
  standard_json_input: string;
};

/**
 * Writes the files with which a block explorer verifies the contracts: for each the compiler's standard-JSON input, and
 * `index.json` with address, fully qualified name, compiler version and encoded constructor arguments. The input is the
 * contract's whole compilation, because with the IR pipeline the bytecode depends on the other compiled sources.
 * LaunchToken is deployed by launches, each with its own arguments: they are null.
 *
 * @returns The paths of the files.
 * @throws DeployError `artifact_missing`.
 */
export function writeVerificationInput(folder: string, manifest: Manifest): string[] {
  const { current, uniswap, wrapped_native, gas_station, treasury, compiler } = manifest;
  const constants = computeLaunchConstants(current.start_tick);
  const weth = wrapped_native.address;
  const contracts: [ContractName, string | null, unknown[] | null][] = [
    [
      "LaunchFactory",
      current.launch_factory.address,
      [
        uniswap.factory.address,
        weth,
        current.splitter_factory.address,
        treasury,
        constants.startTick,
        constants.sqrtPriceX96IfToken0,
        constants.sqrtPriceX96IfToken1,
        constants.liquidityIfToken0,
        constants.liquidityIfToken1,
      ],
    ],
    ["FeeLocker", current.fee_locker.address, [treasury, weth, uniswap.factory.address, constants.startTick]],
    ["LaunchToken", null, null],
    ["SplitterFactory", current.splitter_factory.address, [weth]],
    ["FeeSplitter", current.splitter_implementation.address, [weth]],
    ["VestingFactory", current.vesting_factory.address, []],
    ["Vesting", current.vesting_implementation.address, []],
    ["OpeningFactory", current.opening_factory.address, [current.launch_factory.address]],
    ["Opening", current.opening_implementation.address, [current.launch_factory.address]],
  ];
  if (gas_station !== null) {
    contracts.push(["GasStation", gas_station.address, [gas_station.owner, gas_station.relayer, treasury]]);
  }

  const written: string[] = [];
  const entries: Entry[] = contracts.map(([name, address, args]) => {
    const file = `${name}.standard-input.json`;
    const { identifier, standardInput } = readVerificationInput(name);
    writeFileDurably(join(folder, file), standardInput, 0o644);
    written.push(join(folder, file));
    return {
      contract: identifier,
      address: address as Address | null,
      compiler: `v${compiler.solc}`,
      constructor_arguments: args === null ? null : encodeConstructorArguments(name, args),
      standard_json_input: file,
    };
  });
  const index = join(folder, "index.json");
  writeFileDurably(index, `${JSON.stringify(entries, null, 2)}\n`, 0o644);
  return [...written, index];
}

function encodeConstructorArguments(name: ContractName, args: unknown[]): Hex {
  const declaration = readArtifact(name).abi.find((item) => item.type === "constructor");
  return encodeAbiParameters(declaration?.inputs ?? [], args);
}
