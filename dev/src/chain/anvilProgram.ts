import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { StackError } from "../stack/stackError.ts";

/**
 * The path of the anvil binary that npm installed for this platform. The package's own launcher is left out: it
 * would put one more process between the supervisor and the chain.
 *
 * @throws StackError when there is none for this platform
 */
export function anvilProgram(): string {
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json"));
  try {
    const folder = dirname(require.resolve(`${name}/package.json`));
    return join(folder, "bin", process.platform === "win32" ? "anvil.exe" : "anvil");
  } catch (error) {
    throw new StackError(
      `There is no local chain (anvil) for ${process.platform} ${process.arch} (${name}).`,
      "Use a chain of your own: set DATABASE_URL, RPC_URL, MANIFEST_PATH and MANIFEST_SHA256.",
      { cause: error },
    );
  }
}
