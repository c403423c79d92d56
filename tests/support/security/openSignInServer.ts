import getPort from "get-port";
import type { Server, TestStack } from "./startTestStack.ts";

/** One secret for every server of a test: they are processes of one deployment. */
const authSecret = "a secret of this test alone, 40 characters";

/** A server of a stack that people can sign in to, on a port of its own. */
export type SignInServer = Server & {
  siteUrl: string;
  /** Asks below the site's root as a client would. */
  ask(method: string, path: string, headers?: Record<string, string>, body?: unknown): Promise<Response>;
};

/** @param siteUrl - Of the first server, for another process of the same deployment. */
export async function openSignInServer(stack: TestStack, siteUrl?: string): Promise<SignInServer> {
  const port = await getPort({ host: "127.0.0.1" });
  const own = `http://127.0.0.1:${port}`;
  const server = await stack.openServer({ SITE_URL: siteUrl ?? own, AUTH_SECRET: authSecret });
  await server.listen(port);
  return {
    ...server,
    siteUrl: own,
    ask: async (method, path, headers = {}, body) =>
      await fetch(`${own}${path}`, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        body: body === undefined ? null : JSON.stringify(body),
        redirect: "manual",
      }),
  };
}
