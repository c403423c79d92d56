import { createRequire } from "node:module";

const architectures: Record<string, string> = { x64: "amd64", arm64: "arm64" };

/**
 * The forge binary of this platform's package. Not `node_modules/.bin/forge`: that wrapper exits with 0 whatever forge
 * answered, so a failed test would pass.
 */
export function forgePath(): string {
  const target = `@foundry-rs/forge-${process.platform}-${architectures[process.arch] ?? process.arch}`;
  const suffix = process.platform === "win32" ? ".exe" : "";
  return createRequire(import.meta.url).resolve(`${target}/bin/forge${suffix}`);
}
