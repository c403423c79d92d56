import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createRpcClient, type RpcClient } from "@slipway/deploy/createRpcClient";
import { getFreePort } from "@slipway/dev/process/getFreePort";

export type Anvil = { url: string; client: RpcClient; stop(): Promise<void> };

// The platform's own binary, because the package's launcher leaves it running when the launcher is killed.
const platform = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
const binary = fileURLToPath(new URL(`../../node_modules/@foundry-rs/anvil-${platform}/bin/anvil`, import.meta.url));

/** Starts anvil on a free port, without files on the disk. */
export async function startAnvil(options: { chainId?: number; args?: string[] } = {}): Promise<Anvil> {
  const port = await getFreePort();
  const args = ["--port", String(port), "--chain-id", String(options.chainId ?? 46630), "--silent"];
  args.push("--prune-history", "300", ...(options.args ?? []));
  const child: ChildProcess = spawn(binary, args, { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  await waitUntilUp(url, child);
  return {
    url,
    client: createRpcClient(url),
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function waitUntilUp(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt++) {
    if (child.exitCode !== null) throw new Error(`anvil ended with ${child.exitCode}`);
    try {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] });
      const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
      if (answer.ok) return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
  throw new Error("anvil does not answer");
}
