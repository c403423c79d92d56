import { readFileSync } from "node:fs";
import { DeployError } from "./deployError.ts";
import { type ContractName, readArtifact } from "./readArtifact.ts";

/** The input that a verifier of sources compiles. */
export type VerificationInput = {
  /** Fully qualified name, such as `contracts/src/LaunchToken.sol:LaunchToken`. */
  identifier: string;
  /** Version and commit of the compiler, such as `0.8.37+commit.f401782d`. */
  compiler: string;
  /** The compiler's standard-JSON input as text. */
  standardInput: string;
  /**
   * Whether the bytecode contains no metadata hash. A verifier then compares all bytes, but its best result is the one
   * that otherwise means that comments or names of the sources may differ (Sourcify: `match`).
   */
  lacksMetadataHash: boolean;
};

const artifacts = new URL("../../../contracts/artifacts/", import.meta.url);

/**
 * Reads what a verifier needs to compile a contract. The input is the contract's whole compilation, because with the IR
 * pipeline the bytecode depends on the other compiled sources.
 *
 * @throws DeployError `artifact_missing`.
 */
export function readVerificationInput(name: ContractName): VerificationInput {
  const { standardInput: file, compiler } = readArtifact(name);
  let standardInput: string;
  try {
    standardInput = readFileSync(new URL(file, artifacts), "utf8");
  } catch (cause) {
    throw new DeployError("artifact_missing", `contracts/artifacts/${file} does not exist`, { cause });
  }
  const { settings } = JSON.parse(standardInput) as { settings: { metadata?: { appendCBOR?: boolean } } };
  return {
    identifier: `contracts/src/${name}.sol:${name}`,
    compiler: compiler.solc,
    standardInput,
    lacksMetadataHash: settings.metadata?.appendCBOR === false,
  };
}
