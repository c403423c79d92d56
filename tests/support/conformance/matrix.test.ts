import { describe, expect, it } from "vitest";
import { buildMatrix, matrixTable } from "./matrix.ts";

const declared = new Map([["GET /a", new Set([200, 404])]]);

describe("buildMatrix", () => {
  it("finds a declared cell that nothing proves", () => {
    const matrix = buildMatrix(declared, ["GET /a 200", "GET /a 200"], []);
    expect(matrix.cells.get("GET /a 200")).toEqual({ state: "proven", proofs: 2 });
    expect(matrix.cells.get("GET /a 404")).toEqual({ state: "empty" });
    expect(matrixTable(matrix)).toContain("EMPTY");
  });

  it("accepts a listed open cell, and reports one that is proven or no longer declared", () => {
    const open = [{ cell: "GET /a 404", reason: "later" }];
    expect(buildMatrix(declared, ["GET /a 200"], open).needlesslyOpen).toEqual([]);
    expect(buildMatrix(declared, ["GET /a 200", "GET /a 404"], open).needlesslyOpen).toEqual(open);
    const gone = [{ cell: "GET /b 200", reason: "later" }];
    expect(buildMatrix(declared, [], gone).needlesslyOpen).toEqual(gone);
  });

  it("reports a proven cell that nothing declares", () => {
    expect(buildMatrix(declared, ["GET /a 418"], []).undeclared).toEqual(["GET /a 418"]);
  });
});
