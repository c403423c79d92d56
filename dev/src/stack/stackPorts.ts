import { StackError } from "./stackError.ts";

/** The ports of a local stack; omitted ports are chosen automatically. */
export type StackPorts = { site: number; chain: number | undefined; database: number | undefined };

const usualSitePort = 8787;

/** The settings, each with an example for its advice. */
const examples = { PORT: 8788, CHAIN_PORT: 8546, DATABASE_PORT: 5433 } as const;
type PortSetting = keyof typeof examples;

/**
 * Parses the ports of the environment.
 *
 * @throws StackError for an invalid port, and for two equal ports
 */
export function parseStackPorts(environment: NodeJS.ProcessEnv): StackPorts {
  const ports = new Map<PortSetting, number>([["PORT", usualSitePort]]);
  for (const name of Object.keys(examples) as PortSetting[]) {
    const text = environment[name];
    if (text === undefined) continue;
    const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (port < 1 || port > 65_535) {
      const advice = `Give a number from 1 to 65535: ${name}=${examples[name]} npm start`;
      throw new StackError(`${name} is ${JSON.stringify(text)}.`, advice);
    }
    const other = [...ports].find(([setting, taken]) => setting !== name && taken === port)?.[0];
    if (other !== undefined) {
      throw new StackError(`${other} and ${name} are both ${port}.`, `Choose two ports: ${name}=${port + 1} npm start`);
    }
    ports.set(name, port);
  }
  return {
    site: ports.get("PORT") as number,
    chain: ports.get("CHAIN_PORT"),
    database: ports.get("DATABASE_PORT"),
  };
}
