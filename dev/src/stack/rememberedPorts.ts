import { readFileSync, writeFileSync } from "node:fs";
import type { StackFolder } from "./stackFolder.ts";

type Ports = { chain: number; postgres: number };

/** Keeps the ports, so that the next start takes the same where it can and a wallet's network setting stays right. */
export function rememberPorts(folder: StackFolder, ports: Ports): void {
  writeFileSync(folder.ports, JSON.stringify(ports));
}

/** The ports of the last start, empty where there was none. */
export function rememberedPorts(folder: StackFolder): { chain: number[]; postgres: number[] } {
  try {
    const { chain, postgres } = JSON.parse(readFileSync(folder.ports, "utf8")) as Ports;
    return { chain: [chain], postgres: [postgres] };
  } catch {
    return { chain: [], postgres: [] };
  }
}
