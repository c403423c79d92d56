import { type ErrorCode, errorTable, SlipwayError } from "@slipway/protocol/errors";
import { describe, expect, it, vi } from "vitest";
import { formatError, logErrorAnswer, toSlipwayError } from "./sendError.ts";

const failure = (fields: object, message = "it went wrong") => Object.assign(new Error(message), fields);

describe("toSlipwayError", () => {
  it("returns the error table's own errors unchanged", () => {
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
    ["an upload that its caller aborted", { code: "ECONNRESET", statusCode: 400 }, "aborted", "invalid_request"],
    ["a lost database connection", { code: "08006" }, "", "storage_unavailable"],
    ["a database that shuts down", { code: "57P01" }, "", "storage_unavailable"],
    ["a statement that timed out", { code: "57014" }, "", "storage_unavailable"],
    ["a deadlock after all retries", { code: "40P01" }, "", "storage_unavailable"],
    ["a serialization failure", { code: "40001" }, "", "storage_unavailable"],
    ["a full disk", { code: "53100" }, "", "storage_unavailable"],
    ["a database that is read-only", { code: "25006" }, "", "storage_unavailable"],
    ["a refused connection", { code: "ECONNREFUSED" }, "", "storage_unavailable"],
    ["a full pool", {}, "timeout exceeded when trying to connect", "storage_unavailable"],
    ["an ended pool", {}, "Cannot use a pool after calling end on the pool", "storage_unavailable"],
    ["an error in an SQL statement", { code: "42703" }, "", "internal_error"],
    ["a broken constraint", { code: "23505" }, "", "internal_error"],
    ["anything else", {}, "", "internal_error"],
  ])("converts %s to its code", (_, fields, message, code) => {
    const known = toSlipwayError(failure(fields, message || undefined));
    expect(known.code).toBe(code);
  });

  it.each(["a text", null, undefined, 7])("converts a thrown %s", (thrown) => {
    expect(toSlipwayError(thrown).code).toBe("internal_error");
  });

  it("writes amounts in details as decimals", () => {
    const error = new SlipwayError("insufficient_balance", undefined, { details: { missing: 10n ** 30n } });
    expect(JSON.parse(formatError(error, "id").body).error.details).toEqual({ missing: `1${"0".repeat(30)}` });
  });

  it("never shows a caller the message of an inner error", () => {
    const inner = failure({}, "password=hunter2 at postgres://user:pw@host");
    expect(toSlipwayError(inner).message).not.toMatch(/hunter2|postgres/);
  });
});

describe("logErrorAnswer", () => {
  const getLevels = (code: ErrorCode, status?: number) => {
    const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    logErrorAnswer(log, new SlipwayError(code), "request", status === undefined ? {} : { status });
    return Object.entries(log).flatMap(([level, write]) => (write.mock.calls.length > 0 ? [level] : []));
  };

  it("logs no 4xx at a level that alerts an operator, whatever its cause", () => {
    const codes = Object.entries(errorTable).filter(([, { status }]) => status < 500);
    expect(codes.length).toBeGreaterThan(30);
    for (const [code] of codes) expect(getLevels(code as ErrorCode), code).toEqual(["debug"]);
  });

  it("logs a defect as an error, a missing dependency as a warning, and an unconfigured service as information", () => {
    expect(getLevels("internal_error")).toEqual(["error"]);
    for (const code of ["storage_unavailable", "chain_unavailable", "index_unavailable", "overloaded"] as const) {
      expect(getLevels(code), code).toEqual(["warn"]);
    }
    for (const code of ["manifest_missing", "provider_unavailable", "gas_station_unavailable"] as const) {
      expect(getLevels(code), code).toEqual(["info"]);
    }
  });
});
