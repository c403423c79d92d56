import type { z } from "zod";
import { allEndpoints, type OperationName } from "./allEndpoints.ts";
import { accountOperations } from "./operations/account.ts";
import { administrationOperations } from "./operations/administration.ts";
import { businessesOperations } from "./operations/businesses.ts";
import { feedsOperations } from "./operations/feeds.ts";
import { feesOperations } from "./operations/fees.ts";
import { launchOperations } from "./operations/launch.ts";
import { marketDataOperations } from "./operations/marketData.ts";
import { openingsOperations } from "./operations/openings.ts";
import type { OperationDefinition } from "./operations/operationDefinition.ts";
import { paymentsOperations } from "./operations/payments.ts";
import { serviceOperations } from "./operations/service.ts";
import { tokensOperations } from "./operations/tokens.ts";
import { tradeOperations } from "./operations/trade.ts";
import { vestingsOperations } from "./operations/vestings.ts";
import { webhooksOperations } from "./operations/webhooks.ts";

const definitions = {
  ...serviceOperations,
  ...tokensOperations,
  ...feedsOperations,
  ...launchOperations,
  ...vestingsOperations,
  ...openingsOperations,
  ...tradeOperations,
  ...feesOperations,
  ...businessesOperations,
  ...marketDataOperations,
  ...webhooksOperations,
  ...accountOperations,
  ...paymentsOperations,
  ...administrationOperations,
} satisfies Record<OperationName, OperationDefinition>;

/** The contract of every operation, with its endpoint. */
export type Operations = {
  [Name in OperationName]: (typeof allEndpoints)[Name] & (typeof definitions)[Name] & { name: Name };
};

/**
 * All operations of the API. Routes of the server add a handler to each operation; validation, OpenAPI and the SDK are
 * derived from this table. The conversion is unchecked: comparing the types is too complex for the compiler.
 */
export const operations = Object.fromEntries(
  Object.entries(definitions).map(([name, definition]) => [
    name,
    { name, ...allEndpoints[name as OperationName], ...definition },
  ]),
) as unknown as Operations;

/**
 * A query as a program passes it: the input of its schema, with numbers in place of numeric texts. Without `format`, because
 * methods read JSON.
 */
type QueryInput<Schema extends z.ZodType> = {
  [Name in keyof z.input<Schema> as Exclude<Name, "format">]: Name extends keyof z.output<Schema>
    ? NonNullable<z.output<Schema>[Name]> extends number
      ? number
      : z.input<Schema>[Name]
    : never;
};

type ParamsOf<Operation> = Operation extends { params: infer Schema extends z.ZodType } ? z.input<Schema> : unknown;
type QueryOf<Operation> = Operation extends { query: infer Schema extends z.ZodType } ? QueryInput<Schema> : unknown;
type BodyOf<Operation> = Operation extends { body: infer Schema extends z.ZodType } ? z.input<Schema> : unknown;
type FileOf<Operation> = Operation extends { multipart: true } ? { file: Blob | Uint8Array<ArrayBuffer> } : unknown;

/** The input of an operation: the parameters of the path and the query, and the body, in one object. */
export type OperationInput<Name extends OperationName> = ParamsOf<Operations[Name]> &
  QueryOf<Operations[Name]> &
  BodyOf<Operations[Name]> &
  FileOf<Operations[Name]>;

type AnswersOf<Operation extends { answers: object }> = {
  [Status in keyof Operation["answers"]]: Operation["answers"][Status] extends {
    schema: infer Schema extends z.ZodType;
  }
    ? z.output<Schema>
    : never;
}[keyof Operation["answers"]];

/** The result of an operation. */
export type OperationAnswer<Name extends OperationName> = Operations[Name] extends { png: true }
  ? Uint8Array
  : AnswersOf<Operations[Name]>;
