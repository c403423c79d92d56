import { createServer } from "node:net";

/** Why nobody can listen on the TCP port of this address now, as the system's error code; null when one can. */
export function whyPortIsRefused(port: number, host = "127.0.0.1"): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(null)));
  });
}

/**
 * A TCP port that is free on 127.0.0.1 at this moment: the first free one of `preferred`, else one that the system
 * chooses. Whoever binds it must expect to lose a race and try again.
 */
export async function freePort(preferred: number[] = []): Promise<number> {
  for (const port of preferred) {
    if ((await whyPortIsRefused(port)) === null) return port;
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
