import { createServer } from "node:net";

/** True when nothing listens on the TCP port of this address (default 127.0.0.1). */
export function isPortFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/**
 * A TCP port that is free on 127.0.0.1 at this moment: the first free one of `preferred`, else one that the system
 * chooses. Whoever binds it must expect to lose a race and try again.
 */
export async function freePort(preferred: number[] = []): Promise<number> {
  for (const port of preferred) {
    if (await isPortFree(port)) return port;
  }
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen({ port: 0, host: "127.0.0.1" }, () => {
      const address = probe.address();
      if (address === null || typeof address === "string") return reject(new Error("no port was given"));
      probe.close(() => resolve(address.port));
    });
  });
}
