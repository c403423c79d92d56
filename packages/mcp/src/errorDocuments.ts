import { type ErrorCode, errorTable, type Fault } from "@slipway/protocol/errors";
import { operations } from "@slipway/protocol/operations";
import type { OperationDefinition } from "@slipway/protocol/operations/operationDefinition";
import { type Document, parseDocument, readDocuments } from "./readDocuments.ts";

const causes: Record<Fault, string> = {
  caller: "The request, or the state that it depends on, e.g. a balance.",
  service: "This service. Its operator sees the error.",
  provider: "An external provider of this service.",
  chain: "The chain, or the nodes that the service asks.",
};

const codes = Object.keys(errorTable) as ErrorCode[];

/** Creates the page of one error code: cause, remedy, and the operations that can answer it. */
export function createErrorDocument(code: ErrorCode): Document {
  const { status, retryable, fault, help } = errorTable[code];
  const named = Object.values(operations as Record<string, OperationDefinition & { name: string }>)
    .filter(({ errors }) => errors.includes(code))
    .map(({ name }) => `\`${name}\``);
  const common = "Every operation with the same credential, limit or input can answer it.";
  const text = [
    `# ${code}`,
    `The service answers HTTP status ${status} with the code \`${code}\`.`,
    `**Remedy.** ${help}`,
    `**Cause.** ${causes[fault]}`,
    `**Retry.** ${retryable ? "The same request can succeed later. Wait as long as the header `Retry-After` says, otherwise longer each time." : "The same request does not succeed later."}`,
    `**Operations.** ${named.length === 0 ? common : `${named.join(", ")}.`}`,
    "All codes are on the page [errors](errors.md).",
  ];
  return parseDocument(code, `${text.join("\n\n")}\n`);
}

/** The pages of all codes. */
export const listErrorDocuments = (): Document[] => codes.map(createErrorDocument);

/** Creates the page that lists all codes. */
export function createErrorsDocument(): Document {
  const rows = codes.map((code) => {
    const { status, retryable, help } = errorTable[code];
    return `| [\`${code}\`](errors/${code}.md) | ${help.replaceAll("|", "\\|")} | ${status} | ${retryable ? "yes" : "no"} |`;
  });
  const text = `# Errors

Every error is a JSON body \`{"error": {code, message, request_id, retryable, field?, details?}}\`. The code is stable: compare
it, not the message. \`request_id\` is also the header \`X-Request-Id\`.

| code | remedy | status | retry |
|---|---|---|---|
${rows.join("\n")}
`;
  return parseDocument("errors", text);
}

/** Reads the pages of the documentation, with the page that lists all error codes. */
export function readAllDocuments(): Document[] {
  const documents = readDocuments();
  // A published package has this page as a file.
  return documents.some(({ name }) => name === "errors") ? documents : [...documents, createErrorsDocument()];
}
