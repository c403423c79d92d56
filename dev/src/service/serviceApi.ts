/** An answer of the service that is no success, with the code of its error table. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly status: number;
  readonly code: string;
  readonly retryable: boolean;

  constructor(request: string, status: number, code: string, message: string, retryable: boolean) {
    super(`${request} answered ${status} ${code}: ${message}`);
    this.status = status;
    this.code = code;
    this.retryable = retryable;
  }
}

export type ServiceApi = {
  get: <T>(path: string) => Promise<T>;
  post: <T>(path: string, body: unknown, headers?: Record<string, string>) => Promise<T>;
};

/**
 * The service's HTTP API as any client sees it: JSON in and out, a bearer key.
 *
 * @param patienceMs how long a request is tried again while the service cannot be reached, restarts or says that
 *   trying again helps (503, 429); 0 tries once
 * @throws ServiceError for every other answer outside 2xx
 */
export function serviceApi(baseUrl: string, apiKey: string, patienceMs = 0): ServiceApi {
  const once = async <T>(method: string, path: string, body?: unknown, headers = {}): Promise<T> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as T;
    throw errorOf(`${method} ${path}`, response.status, text);
  };
  const patiently = async <T>(request: () => Promise<T>): Promise<T> => {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      try {
        return await request();
      } catch (error) {
        const hopeless = error instanceof ServiceError && !error.retryable;
        if (hopeless || Date.now() >= deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    }
  };
  return {
    get: (path) => patiently(() => once("GET", path)),
    post: (path, body, headers) => patiently(() => once("POST", path, body, headers)),
  };
}

function errorOf(request: string, status: number, text: string): ServiceError {
  const waitHelps = status === 429 || status === 503;
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string; retryable?: boolean } };
    return new ServiceError(request, status, error.code, error.message, error.retryable ?? waitHelps);
  } catch {
    return new ServiceError(request, status, "unknown", text.slice(0, 200), waitHelps);
  }
}
