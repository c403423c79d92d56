/**
 * An endpoint as a client calls it: plain data, so that a page can load it without the schemas. `operations.ts` adds
 * the rest of each endpoint's contract.
 */
export type Endpoint = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below the API root, with `{name}` for each parameter; with `site: true`, below the site root. */
  path: string;
  site?: true;
  /** `bearer` needs an API key or a session. */
  auth: "public" | "bearer";
  /** Accepts an Idempotency-Key. */
  idempotent?: true;
  /** Accepts If-Match. */
  conditional?: true;
  /** Accepts a file as multipart/form-data instead of JSON. */
  multipart?: true;
  /** Returns a PNG image. */
  png?: true;
  /**
   * `false`: the SDK has no method, because the endpoint is a stream or is for browsers, monitoring, or readers with
   * their own format.
   */
  client?: false;
};
