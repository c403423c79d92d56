import { type ErrorCode, SlipwayError } from "@slipway/protocol/errors";
import { toSlipwayError } from "./answerError.ts";
import { describe, expect, it } from "vitest";

const failure = (fields: object, message = "it went wrong") => Object.assign(new Error(message), fields);

describe("toSlipwayError", () => {
  it("leaves the table's own errors as they are", () => {
    const error = new SlipwayError("pool_taken");
    expect(toSlipwayError(error)).toBe(error);
  });

  it.each<[string, object, string, ErrorCode]>([
    ["broken JSON", { code: "FST_ERR_CTP_INVALID_JSON_BODY", statusCode: 400 }, "", "invalid_json"],
    ["an empty body", { code: "FST_ERR_CTP_EMPTY_JSON_BODY", statusCode: 400 }, "", "invalid_json"],
    ["a wrong content type", { code: "FST_ERR_CTP_INVALID_MEDIA_TYPE", statusCode: 415 }, "", "invalid_json"],
    ["a body too large", { code: "FST_ERR_CTP_BODY_TOO_LARGE", statusCode: 413 }, "", "body_too_large"],
    ["a URL that cannot be read", { code: "FST_ERR_BAD_URL", statusCode: 400 }, "", "invalid_request"],
    ["any other refusal of the framework", { code: "FST_ERR_NEW", statusCode: 418 }, "", "invalid_request"],
    ["a lost database connection", { code: "08006" }, "", "storage_unavailable"],
    ["a database that shuts down", { code: "57P01" }, "", "storage_unavailable"],
    ["a statement cut off for its time", { code: "57014" }, "", "storage_unavailable"],
    ["a deadlock that outlived its retries", { code: "40P01" }, "", "storage_unavailable"],
    ["a serialization failure", { code: "40001" }, "", "storage_unavailable"],
    ["a full disk", { code: "53100" }, "", "storage_unavailable"],
    ["a database that is read-only", { code: "25006" }, "", "storage_unavailable"],
    ["a refused connection", { code: "ECONNREFUSED" }, "", "storage_unavailable"],
    ["a full pool", {}, "timeout exceeded when trying to connect", "storage_unavailable"],
    ["an ended pool", {}, "Cannot use a pool after calling end on the pool", "storage_unavailable"],
    ["a mistake in our SQL", { code: "42703" }, "", "internal_error"],
    ["a broken constraint", { code: "23505" }, "", "internal_error"],
    ["anything else", {}, "", "internal_error"],
  ])("calls %s by its code", (_, fields, message, code) => {
    const known = toSlipwayError(failure(fields, message || undefined));
    expect(known.code).toBe(code);
  });

  it.each(["a text", null, undefined, 7])("survives that %s is thrown", (thrown) => {
    expect(toSlipwayError(thrown).code).toBe("internal_error");
  });

  it("never shows a caller the words of an inner error", () => {
    const inner = failure({}, "password=hunter2 at postgres://user:pw@host");
    expect(toSlipwayError(inner).message).not.toMatch(/hunter2|postgres/);
  });
});
