import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { afterAll, beforeAll } from "vitest";
import { type ApiServer, type ApiServers, openApiServers } from "../security/openApiServers.ts";
import { type UploadAnswer, uploadSettings, uploadTo } from "./uploadTo.ts";

export type Uploads = {
  servers: ApiServers;
  server: ApiServer;
  /** The folder of stored images. */
  folder: string;
  upload(file: Uint8Array, options?: { apiKey?: string; name?: string; type?: string }): Promise<UploadAnswer>;
  /** Gets a stored file below /media. */
  getMedia(path: string, headers?: Record<string, string>): Promise<Response>;
};

/** A real server whose images are files of a folder, for all tests of a file. */
export function useUploads(environment: Record<string, string> = {}): Uploads {
  const folder = temporaryFolder();
  const uploads = { folder: folder.path } as Uploads;
  beforeAll(async () => {
    uploads.servers = await openApiServers();
    const settings = { SITE_URL: "https://site.example", DATA_DIR: folder.path, ...uploadSettings, ...environment };
    uploads.server = await uploads.servers.open(settings);
  });
  afterAll(async () => {
    await uploads.servers?.close();
    folder.remove();
  });
  uploads.upload = (file, { apiKey = uploads.servers.apiKey, ...options } = {}) =>
    uploadTo(uploads.server.base, apiKey, file, options);
  uploads.getMedia = (path, headers = {}) => fetch(`${uploads.server.site}/media/${path}`, { headers });
  return uploads;
}
