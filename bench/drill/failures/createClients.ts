/** A request of the load. */
export type RequestRecord = {
  kind: "read" | "write";
  startedAtMs: number;
  endedAtMs: number;
  /** The status; 0 if the connection was lost. */
  status: number;
  detail: string;
};

export type Answer = { status: number; body: any };

const now = () => performance.timeOrigin + performance.now();
const timeoutMs = 20_000;

/** Clients that know both load balancers: each request goes to the current one, and to the other if it is not reached. */
export function createClients(urls: readonly string[]) {
  const records: RequestRecord[] = [];
  let current = 0;

  const connect = async (path: string, init: RequestInit): Promise<Response> => {
    for (let attempt = 1; ; attempt++) {
      const used = current;
      try {
        return await fetch(`${urls[used]}${path}`, init);
      } catch (error) {
        const code = ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code;
        // Concurrent requests fail at the same balancer: they must not lead back to it.
        current = (used + 1) % urls.length;
        // Nothing was sent.
        if (code !== "ECONNREFUSED" || attempt === urls.length) throw error;
      }
    }
  };

  return {
    records,
    now,
    /** The URL of the current balancer. */
    siteUrl: () => urls[current]!,
    /** For streams, whose base URL is fixed: replaces its origin by the balancer that answers. */
    fetch: (async (input: string | URL, init?: RequestInit) => {
      const { pathname, search } = new URL(input);
      return await connect(`${pathname}${search}`, init ?? {});
    }) as typeof fetch,
    /** Sends a request and records it. @returns null if the connection was lost. */
    send: async (kind: "read" | "write", path: string, init: RequestInit = {}): Promise<Answer | null> => {
      const startedAtMs = now();
      const record = (status: number, detail: string) =>
        records.push({ kind, startedAtMs, endedAtMs: now(), status, detail });
      try {
        const response = await connect(path, { ...init, signal: AbortSignal.timeout(timeoutMs) });
        const text = await response.text();
        // The load balancer's own errors are HTML.
        const body = text.startsWith("{") ? JSON.parse(text) : {};
        record(response.status, response.ok ? "" : `${path} ${response.status} ${body.error?.code ?? "load balancer"}`);
        return { status: response.status, body };
      } catch (error) {
        const { message, cause } = error as Error;
        record(0, `${path} ${message} ${(cause as Error | undefined)?.message ?? ""}`);
        return null;
      }
    },
  };
}

export type Clients = ReturnType<typeof createClients>;
