import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Abi, Hex } from "viem";

const solc = createRequire(import.meta.url)("solc") as { compile(input: string): string };

/** Compiles an attacker's contract of tests/support/security/contracts. */
export function compileAttacker(name: string): { abi: Abi; bytecode: Hex; runtime: Hex } {
  const content = readFileSync(new URL(`./contracts/${name}.sol`, import.meta.url), "utf8");
  const input = {
    language: "Solidity",
    sources: { [name]: { content } },
    settings: {
      evmVersion: "cancun",
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter(({ severity }: { severity: string }) => severity === "error");
  if (errors.length > 0) throw new Error(errors[0].formattedMessage);
  const { abi, evm } = output.contracts[name][name];
  return { abi, bytecode: `0x${evm.bytecode.object}`, runtime: `0x${evm.deployedBytecode.object}` };
}
