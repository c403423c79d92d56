/**
 * An endpoint as a client calls it: plain data, so that a page can load it without the schemas. `operations.ts` adds
 * the rest of each endpoint's contract.
 */
export type Endpoint = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below the API root, with `{name}` for each parameter; below the site root where `isAtSiteRoot` says so. */
  path: string;
  /** The path is below the site root. Paths that begin with `/api/` need no mark. */
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

/** Whether the path of an endpoint is below the site root instead of the API root. */
export const isAtSiteRoot = ({ site, path }: Pick<Endpoint, "site" | "path">): boolean =>
  site === true || path.startsWith("/api/");
