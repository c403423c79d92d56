/** An operation of the OpenAPI document. */
export type Operation = {
  /** Method and path below the API's root as in the specification, e.g. `GET /tokens/{address}`. */
  name: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  /** Whether the path is below the site's root instead. */
  site: boolean;
  operationId: string;
  guarded: boolean;
  /** The JSON schema of each declared status; null for bytes. */
  answers: Map<number, object | null>;
  /** Whether the operation accepts JSON. */
  hasBody: boolean;
  /** Whether the operation accepts a file instead. */
  takesFile: boolean;
  /** The complete operation, with the responses that it shares with others. */
  about: OperationObject;
};

export type Document = {
  openapi: string;
  components: {
    schemas: Record<string, object>;
    responses: Record<string, ResponseObject>;
    headers: Record<string, { required?: boolean }>;
    examples: Record<string, { value: unknown }>;
    securitySchemes: Record<string, object>;
  };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Omit<OperationObject, "responses"> & { responses: Responses<Reference> }>>;
};
type Reference = { $ref: string };
type Responses<Other = never> = Record<string, ResponseObject | Other>;
type Content = Record<string, { schema?: object; examples?: Record<string, { value: unknown } | Reference> }>;
type ResponseObject = { description: string; headers?: Record<string, Reference>; content?: Content };
export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  description: string;
  required?: boolean;
  schema: Record<string, unknown>;
};
type OperationObject = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security?: Record<string, string[]>[];
  "x-required-scope"?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Responses;
};

const apiPrefix = "/api/v1/launchpad";

export type OpenApi = { document: Document; operations: Map<string, Operation> };

/** Reads the operations of a document. */
export function readOpenApi(document: Document): OpenApi {
  const operations = new Map<string, Operation>();
  for (const [fullPath, methods] of Object.entries(document.paths)) {
    const site = !fullPath.startsWith(`${apiPrefix}/`);
    const path = site ? fullPath : fullPath.slice(apiPrefix.length);
    for (const [method, operation] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`;
      const about = { ...operation, responses: resolveResponses(document, operation.responses) };
      const answers = Object.entries(about.responses)
        .filter(([status]) => status !== "default")
        .map(([status, { content }]) => [Number(status), content?.["application/json"]?.schema ?? null] as const);
      operations.set(name, {
        name,
        method: method.toUpperCase() as Operation["method"],
        path,
        site,
        operationId: about.operationId,
        guarded: (about.security ?? []).length > 0,
        answers: new Map(answers),
        hasBody: about.requestBody?.content["application/json"] !== undefined,
        takesFile: about.requestBody?.content["multipart/form-data"] !== undefined,
        about,
      });
    }
  }
  return { document, operations };
}

function resolveResponses({ components }: Document, responses: Responses<Reference>): Responses {
  const entries = Object.entries(responses).map(([status, response]) => {
    const resolved = "$ref" in response ? components.responses[response.$ref.split("/").at(-1)!]! : response;
    return [status, resolved] as const;
  });
  return Object.fromEntries(entries);
}

/** The paths of the documents below the API's root: for everyone, and for the operator. */
export const documentPaths = ["/openapi.json", "/openapi-admin.json"] as const;

/** Joins the document for everyone and that for the operator, which share their components. */
export function joinDocuments([first, second]: readonly Document[]): Document {
  const components = Object.fromEntries(
    Object.keys({ ...first!.components, ...second!.components }).map((kind) => [
      kind,
      { ...second!.components[kind as "schemas"], ...first!.components[kind as "schemas"] },
    ]),
  ) as Document["components"];
  return { ...first!, components, paths: { ...second!.paths, ...first!.paths } };
}

/** Fetches the documents of a running stack, as one. */
export async function fetchOpenApi(baseUrl: string): Promise<OpenApi> {
  const documents = documentPaths.map(async (path) => {
    const response = await fetch(`${baseUrl}${path}`);
    if (!response.ok) throw new Error(`GET ${baseUrl}${path} answers ${response.status}`);
    return (await response.json()) as Document;
  });
  return readOpenApi(joinDocuments(await Promise.all(documents)));
}
