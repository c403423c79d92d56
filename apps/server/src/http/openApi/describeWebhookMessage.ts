import { webhookMessage } from "@slipway/protocol/webhooks";
import type { oas31, ZodOpenApiPathItemObject } from "zod-openapi";
import type { OpenApiDocument } from "./describeResponses.ts";

const json = "application/json";

/**
 * The request that the service sends to an endpoint of a webhook. Its body is declared as a response, so that its schemas
 * are those of answers; `moveMessageToRequest` corrects this in the document.
 */
export const webhookMessages: Record<string, ZodOpenApiPathItemObject> = {
  message: {
    post: {
      operationId: "receiveWebhookMessage",
      tags: ["Webhooks"],
      summary: "A message to the endpoint of a webhook",
      description:
        "Signed by Standard Webhooks, with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. Any " +
        "other answer than 2xx within 5 seconds is retried with the same id.",
      security: [],
      responses: {
        "204": {
          description: "The message was accepted. The service reads no body.",
          content: { [json]: { schema: webhookMessage } },
        },
      },
    },
  },
};

/** Makes the body of the message the body of the request. */
export function moveMessageToRequest({ webhooks }: OpenApiDocument): void {
  const operation = webhooks!.message!.post as oas31.OperationObject;
  const response = operation.responses!["204"] as oas31.ResponseObject;
  operation.requestBody = { required: true, content: response.content! };
  delete response.content;
}
