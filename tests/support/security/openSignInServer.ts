import { getFreePort } from "@slipway/dev/process/getFreePort";
import type { Server, TestStack } from "./startTestStack.ts";

/** One secret for all servers of a test, which are processes of one deployment. */
const authSecret = "a secret of this test alone, 40 characters";

/** A server of a stack that supports sign-in, on a free port. */
export type SignInServer = Server & {
  siteUrl: string;
  /** Sends a request below the site's root, like a client. */
  ask(method: string, path: string, headers?: Record<string, string>, body?: unknown): Promise<Response>;
};

/** @param siteUrl - The URL of the first server, for another process of the same deployment. */
export async function openSignInServer(stack: TestStack, siteUrl?: string): Promise<SignInServer> {
  const port = await getFreePort();
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
