import { unlimited } from "../conformance/unlimited.ts";

/** An answer to an upload. */
export type UploadAnswer = { status: number; body: any; headers: Headers };

/** Settings of a server for uploads that do not test limits. */
export const uploadSettings = {
  ...unlimited,
  UPLOAD_MIN_BYTES_PER_SECOND: "0",
};

/** Uploads a file like a browser. */
export async function uploadTo(
  base: string,
  apiKey: string,
  file: Uint8Array,
  { name = "picture", type = "application/octet-stream" } = {},
): Promise<UploadAnswer> {
  const form = new FormData();
  form.set("file", new Blob([file as Uint8Array<ArrayBuffer>], { type }), name);
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${base}/images`, { method: "POST", headers, body: form });
  return { status: response.status, body: await response.json(), headers: response.headers };
}
