import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

/** A real OpenID provider whose users log in with any password. */
export type Oidc = {
  url: string;
  /** The handle of each user, by id; the provider reports the handles that are set here. */
  handles: Map<string, string>;
  /** Acts like a browser: logs in, consents, and returns the URL that the provider redirects to. */
  logIn(authorizationUrl: string, user: string): Promise<string>;
  stop(): Promise<void>;
};

export const client = { id: "slipway-test", secret: "of the test's client alone" };

/** Starts the provider for one client with one redirect URL. */
export async function startOidc(redirectUri: string): Promise<Oidc> {
  const handles = new Map<string, string>();
  // No idle connection is closed while a busy worker sends a request over it.
  const server: Server = createServer({ keepAliveTimeout: 0 });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: "client_secret_basic",
      },
    ],
    cookies: { keys: ["of this test"] },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    claims: { openid: ["sub"], profile: ["preferred_username"] },
    pkce: { required: () => true },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, preferred_username: handles.get(id) }),
    }),
  } as ConstructorParameters<typeof Provider>[1]);
  const answer = provider.callback();
  server.on("request", (request, response) => void answer(request, response));

  return {
    url,
    handles,
    logIn: async (authorizationUrl, user) => await walk(url, redirectUri, authorizationUrl, user),
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Follows redirects with cookies, fills in the login and the consent page, and stops before the redirect to the
 * service.
 */
async function walk(url: string, redirectUri: string, start: string, user: string): Promise<string> {
  const cookies = new Map<string, string>();
  const send = async (target: string, form?: Record<string, string>): Promise<Response> => {
    const response = await fetch(target, {
      method: form ? "POST" : "GET",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      body: form ? new URLSearchParams(form) : null,
      redirect: "manual",
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === "") cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    return response;
  };

  let at = start;
  let form: Record<string, string> | undefined;
  for (let step = 0; step < 20; step++) {
    const response = await send(at, form);
    form = undefined;
    const location = response.headers.get("location");
    if (location !== null) {
      at = new URL(location, at).href;
      if (at.startsWith(redirectUri)) return at;
      continue;
    }
    const page = await response.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (prompt === undefined) throw new Error(`${at} answers ${response.status}: ${page.slice(0, 300)}`);
    form = { prompt, login: user, password: "any" };
    at = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? at, url).href;
  }
  throw new Error("the provider never sent the browser back");
}
