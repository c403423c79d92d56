/** What the OpenAPI document says of an operation. */
export type Operation = {
  /** Method and path below the API's root as in the specification, e.g. `GET /tokens/{address}`. */
  name: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  /** Below the site's root instead. */
  site: boolean;
  operationId: string;
  guarded: boolean;
  /** JSON schema of each declared status; null for bytes. */
  answers: Map<number, object | null>;
  hasBody: boolean;
  /** All of it, as the document has it. */
  about: OperationObject;
};

type Document = {
  openapi: string;
  components: { schemas: Record<string, object> };
  paths: Record<string, Record<string, OperationObject>>;
};
type OperationObject = {
  operationId: string;
  security?: object[];
  parameters?: { name: string; in: "path" | "query" | "header"; required?: boolean; schema: object }[];
  requestBody?: { required?: boolean; content: Record<string, { schema?: object }> };
  responses: Record<string, { description: string; content?: Record<string, { schema?: object }> }>;
};

const apiPrefix = "/api/v1/launchpad";

export type OpenApi = { document: Document; operations: Map<string, Operation> };

/** Reads the operations out of a document. */
export function readOpenApi(document: Document): OpenApi {
  const operations = new Map<string, Operation>();
  for (const [fullPath, methods] of Object.entries(document.paths)) {
    const site = !fullPath.startsWith(`${apiPrefix}/`);
    const path = site ? fullPath : fullPath.slice(apiPrefix.length);
    for (const [method, about] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`;
      const answers = Object.entries(about.responses).map(
        ([status, { content }]) => [Number(status), content?.["application/json"]?.schema ?? null] as const,
      );
      operations.set(name, {
        name,
        method: method.toUpperCase() as Operation["method"],
        path,
        site,
        operationId: about.operationId,
        guarded: (about.security ?? []).length > 0,
        answers: new Map(answers),
        hasBody: about.requestBody !== undefined,
        about,
      });
    }
  }
  return { document, operations };
}

/** Fetches the document of a running stack. */
export async function fetchOpenApi(baseUrl: string): Promise<OpenApi> {
  const response = await fetch(`${baseUrl}/openapi.json`);
  if (!response.ok) throw new Error(`GET ${baseUrl}/openapi.json answers ${response.status}`);
  return readOpenApi((await response.json()) as Document);
}
