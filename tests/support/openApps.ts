import type { FastifyInstance } from "fastify";

const apps = new Set<FastifyInstance>();

/** Remembers an app of this process until it is closed. */
export function addOpenApp(app: FastifyInstance): void {
  apps.add(app);
  app.addHook("onClose", async () => void apps.delete(app));
}

/** Closes the apps that the tests of a file left open. */
export async function closeOpenApps(): Promise<void> {
  for (const app of apps) await app.close();
}
