import { createRequire } from "node:module";

const architectures: Record<string, string> = { x64: "amd64", arm64: "arm64" };

/**
 * Returns the path of the forge binary in this platform's package. `node_modules/.bin/forge` is not used, because that
 * wrapper exits with 0 even if forge fails.
 */
export function getForgePath(): string {
  const target = `@foundry-rs/forge-${process.platform}-${architectures[process.arch] ?? process.arch}`;
  const suffix = process.platform === "win32" ? ".exe" : "";
  return createRequire(import.meta.url).resolve(`${target}/bin/forge${suffix}`);
}
