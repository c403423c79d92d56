import { readFileSync } from "node:fs";
import type { Host } from "./hosts.ts";

/** The ports of the members, by the port that the shipped files have. */
export type Ports = Record<"2379" | "2380" | "5432" | "8008", number[]>;

/**
 * Returns a configuration of `deploy` with the addresses of this drill. The file is that of the first member; its lists
 * of all members stay lists.
 *
 * @param own - The index of the member that the result is for.
 */
export function readShippedFile(name: string, hosts: readonly Host[], ports: Ports, own: number): string {
  const text = readFileSync(new URL(`../../../deploy/${name}`, import.meta.url), "utf8");
  const lines = text.split("\n").map((line) => {
    const isList = /hosts:|initial-cluster:|server postgres/.test(line);
    return line
      .replace(/10\.0\.0\.1(\d):(\d{4})/g, (_, digit: string, port: keyof Ports) => {
        const index = isList ? Number(digit) - 1 : own;
        return `${hosts[index]!.address}:${ports[port][index]}`;
      })
      .replace(/^( *server postgres(\d).* port )8008/, (_, start: string, digit: string) => {
        return `${start}${ports["8008"][Number(digit) - 1]}`;
      });
  });
  const network = hosts[0]!.address === "127.0.0.1" ? "127.0.0.1/32" : "10.231.0.0/24";
  return lines.join("\n").replaceAll("10.0.0.0/24", network);
}
