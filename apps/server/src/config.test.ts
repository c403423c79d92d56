import { ConfigError, parseConfig } from "./config.ts";
import { describe, expect, it } from "vitest";

const minimum = { DATABASE_URL: "postgres://localhost/x", RPC_URL: "http://localhost:8545" };
const getProblem = (env: Record<string, string>) => {
  try {
    parseConfig(env);
    return null;
  } catch (error) {
    return error as ConfigError;
  }
};

describe("parseConfig", () => {
  it("requires a database and a chain, and has defaults for all other settings", () => {
    expect(parseConfig(minimum)).toMatchObject({
      PORT: 8787,
      HOST: "127.0.0.1",
      ROLES: ["api", "indexer", "worker"],
      RPC_URL: ["http://localhost:8545"],
      READ_LIMIT_PER_SECOND: 50,
      READ_LIMIT_BURST: 200,
      WRITE_LIMIT_PER_SECOND: 20,
      WRITE_LIMIT_BURST: 200,
      REORG_WINDOW_SECONDS: 120,
    });
  });

  it("names every problem and no value", () => {
    const error = getProblem({
      DATABASE_URL: "mysql://someone:hunter2@host/x",
      RPC_URL: "http://ok, ftp://key:secret9@node",
      PORT: "70000",
      LOG_LEVEL: "loud",
      MANIFEST_SHA256: "c0ffee",
      TRUST_PROXY: "perhaps",
    });
    expect(error).toBeInstanceOf(ConfigError);
    for (const name of ["DATABASE_URL", "RPC_URL", "PORT", "LOG_LEVEL", "MANIFEST_SHA256", "TRUST_PROXY"]) {
      expect(error?.message).toContain(name);
    }
    expect(error?.message).not.toMatch(/hunter2|secret9|70000|loud|c0ffee|perhaps/);
  });

  it("names what is missing", () => {
    expect(getProblem({})?.message).toMatch(/DATABASE_URL[\s\S]*RPC_URL/);
  });

  it("accepts several endpoints with spaces, and refuses an empty list", () => {
    expect(parseConfig({ ...minimum, RPC_URL: "http://a, https://b/" }).RPC_URL).toEqual(["http://a", "https://b/"]);
    expect(getProblem({ ...minimum, RPC_URL: " , " })?.message).toContain("RPC_URL");
  });

  it("treats an empty optional setting as not set", () => {
    const config = parseConfig({ ...minimum, SITE_URL: "", CHAIN_ID: "", MANIFEST_SHA256: "" });
    expect([config.SITE_URL, config.CHAIN_ID, config.MANIFEST_SHA256]).toEqual([undefined, undefined, undefined]);
  });

  it("treats an empty setting with a default as not set", () => {
    const names = ["PORT", "HOST", "ROLES", "GAS_STATION_MARKUP_BPS", "MAX_HEAP_BYTES", "READ_CACHE_BYTES"];
    const empty = Object.fromEntries([...names, "RELAYER_MAX_REPLACEMENTS", "SITE_URL"].map((name) => [name, ""]));
    expect(parseConfig({ ...minimum, ...empty })).toEqual(parseConfig(minimum));
    expect(parseConfig({ ...minimum, CODE_HOST_SCOPES: "" }).CODE_HOST_SCOPES).toBe("");
  });

  it("refuses numbers that are not decimal digits", () => {
    for (const PORT of [" ", "0x10", "1e3", "80.0", "-1"]) {
      expect(getProblem({ ...minimum, PORT })?.message, PORT).toContain("PORT");
    }
    expect(parseConfig({ ...minimum, PORT: " 80 " }).PORT).toBe(80);
  });

  it("refuses an unknown role", () => {
    expect(parseConfig({ ...minimum, ROLES: "api" }).ROLES).toEqual(["api"]);
    expect(getProblem({ ...minimum, ROLES: "api,king" })?.message).toContain("ROLES");
  });
});
