import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError, environment, parseConfig } from "./config.ts";

const minimum = { DATABASE_URL: "postgres://localhost/x", RPC_URL: "http://localhost:8545" };
const getProblem = (env: Record<string, string>) => {
  try {
    parseConfig(env);
    return null;
  } catch (error) {
    return error as ConfigError;
  }
};

/** The problems, one line each, without the headline. */
const getLines = (env: Record<string, string>) =>
  getProblem(env)
    ?.message.split("\n")
    .slice(1)
    .map((line) => line.trim());

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

  it("accepts origins as browsers send them, and refuses all other forms", () => {
    const parse = (value: string) => parseConfig({ ...minimum, ALLOWED_ORIGINS: value }).ALLOWED_ORIGINS;
    expect(parse("HTTPS://App.Example.com/, http://localhost:5173,https://a.example:443")).toEqual([
      ...["https://app.example.com", "http://localhost:5173", "https://a.example"],
    ]);
    const refused = [
      "*",
      "null",
      "https://*.example.com",
      "app.example.com",
      "https://a.example/app",
      "ftp://a.example",
    ];
    for (const value of [...refused, "https://a.example?x", "https://a.example/#x", "https://user:secret9@a.example"]) {
      const message = getProblem({ ...minimum, ALLOWED_ORIGINS: `https://ok.example,${value}` })?.message;
      expect(message, value).toMatch(/ALLOWED_ORIGINS.*must be an origin such as https:\/\/app\.example\.com/);
      expect(message).not.toContain("secret9");
    }
  });

  it("treats an empty optional setting as unset", () => {
    const config = parseConfig({ ...minimum, SITE_URL: "", CHAIN_ID: "", MANIFEST_SHA256: "" });
    expect([config.SITE_URL, config.CHAIN_ID, config.MANIFEST_SHA256]).toEqual([undefined, undefined, undefined]);
  });

  it("treats an empty setting with a default as unset", () => {
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

  it("refuses an unknown role, and a list that names none", () => {
    expect(parseConfig({ ...minimum, ROLES: "api" }).ROLES).toEqual(["api"]);
    const unknown = "ROLES: entry 2 must be one of api, indexer, worker";
    expect(getLines({ ...minimum, ROLES: "api,king" })).toEqual([unknown]);
    for (const ROLES of [",", " ", " , "]) {
      expect(getLines({ ...minimum, ROLES }), ROLES).toEqual(["ROLES: names no role; must be of api, indexer, worker"]);
    }
  });

  it("names the fault and the remedy of every problem", () => {
    const longer = {
      ...minimum,
      PORT: "70000",
      LOG_LEVEL: "loud",
      RPC_URL: "http://a, node:8545",
      SESSION_DAYS: "a week",
    };
    expect(getLines(longer)).toEqual([
      "PORT: must be a whole number from 0 to 65535",
      "LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace, silent",
      "RPC_URL: entry 2 must be a URL that begins with http:// or https://",
      "SESSION_DAYS: must be a whole number from 1 to 365",
    ]);
    expect(getLines({})).toEqual([
      "DATABASE_URL: is not set; it must be a URL that begins with postgres:// or postgresql://",
      "RPC_URL: is not set; it must be URLs of the chain's endpoints, separated by commas",
    ]);
  });

  it.each([
    ["CODE_HOST_CLIENT_ID", "CODE_HOST_CLIENT_SECRET"],
    ["CODE_HOST_CLIENT_SECRET", "CODE_HOST_CLIENT_ID"],
    ["SOCIAL_CLIENT_ID", "SOCIAL_CLIENT_SECRET"],
    ["SOCIAL_CLIENT_SECRET", "SOCIAL_CLIENT_ID"],
  ])("refuses %s without %s, together with every other problem", (name, other) => {
    const line = `${other}: is not set, but ${name} is; set both, or neither`;
    expect(getLines({ ...minimum, [name]: "given", [other]: "" })).toEqual([line]);
    expect(getLines({ ...minimum, [name]: "given", PORT: "x" })).toEqual([expect.stringMatching(/^PORT/), line]);
    expect(getProblem({ ...minimum, [name]: "given", [other]: "given too" })).toBeNull();
  });

  it("refuses a user or password of a URL that cannot be decoded", () => {
    const problem = "has a % in its user or password that encodes nothing; write %25 for the character %";
    const urls = { DATABASE_API_URL: "postgres://u:50%@h/x", RPC_URL: "http://a,http://50%zz:p@h" };
    expect(getLines({ ...minimum, ...urls })).toEqual([`DATABASE_API_URL: ${problem}`, `RPC_URL: entry 2 ${problem}`]);
    expect(getProblem({ ...minimum, DATABASE_API_URL: "postgres://u:50%25@h/x" })).toBeNull();
  });
});

describe("settings of images", () => {
  const s3 = {
    S3_ENDPOINT: "https://s3.example",
    S3_BUCKET: "images",
    S3_REGION: "eu-1",
    S3_ACCESS_KEY_ID: "key",
    S3_SECRET_ACCESS_KEY: "planted-secret",
  };

  it("name every missing S3 setting if another one is set, and no value", () => {
    expect(parseConfig({ ...minimum, ...s3 })).toMatchObject({ S3_BUCKET: "images", S3_PATH_STYLE: false });
    const problems = getLines({ ...minimum, S3_SECRET_ACCESS_KEY: "planted-secret", S3_BUCKET: "images" });
    expect(problems!.map((problem) => problem.split(":")[0])).toEqual(["S3_ENDPOINT", "S3_REGION", "S3_ACCESS_KEY_ID"]);
    expect(problems!.join()).not.toContain("planted");
  });

  it("require an address for a redirect", () => {
    const problems = getLines({ ...minimum, MEDIA_SERVING: "redirect" });
    expect(problems!.map((problem) => problem.split(":")[0])).toEqual(["MEDIA_PUBLIC_URL", "S3_ENDPOINT"]);
  });

  it("require the settings of the configured pinning service", () => {
    const names = (env: Record<string, string>) =>
      getLines({ ...minimum, ...env })!.map((problem) => problem.split(":")[0]);
    expect(names({ PINNING_PROVIDER: "kubo" })).toEqual(["PINNING_URL"]);
    expect(names({ PINNING_PROVIDER: "psa" })).toEqual(["PINNING_URL", "PINNING_TOKEN"]);
    expect(names({ PINNING_PROVIDER: "pinata" })).toEqual(["PINNING_TOKEN"]);
    expect(names({ PINNING_TOKEN: "t" })).toEqual(["PINNING_PROVIDER"]);
    expect(names({ PINNING_PROVIDER: "other", PINNING_URL: "x" })).toEqual(["PINNING_PROVIDER", "PINNING_URL"]);
  });
});

describe("PAYMASTER_URL", () => {
  const read = (value: string) => getLines({ ...minimum, PAYMASTER_URL: value });

  it("accepts https with a path and a query, and http of this machine", () => {
    for (const url of ["https://paymaster.example/v2/46630/rpc?key=public", "http://127.0.0.1:3000"])
      expect(parseConfig({ ...minimum, PAYMASTER_URL: url }).PAYMASTER_URL).toBe(url);
    expect(parseConfig({ ...minimum, PAYMASTER_URL: "" }).PAYMASTER_URL).toBeUndefined();
  });

  it.each([
    "http://paymaster.example",
    "https://someone:hunter2@paymaster.example",
    "https://hunter2@paymaster.example",
    "paymaster.example?key=hunter2",
    "https://paymaster.example/#hunter2",
  ])("C10-98 refuses %s, without its text, and says that everybody can read the URL", (value) => {
    expect(read(value)).toEqual([
      expect.stringMatching(/^PAYMASTER_URL: must be a URL that begins with https:\/\/.*it must contain no secret$/),
    ]);
    expect(read(value)?.join()).not.toContain("hunter2");
  });
});

it("docs/settings.md names every setting", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/settings.md"), "utf8");
  const named = new Set([...page.matchAll(/`([A-Z_][A-Z0-9_*]+)`/g)].map(([, name]) => name!));
  // The page names one provider in full; the others have the same suffixes.
  const isNamed = (name: string) =>
    [name, name.replace(/^(CODE_HOST|SOCIAL)/, ""), name.replace(/^(PARTNER_[BC]_).*/, "$1*")].some((form) =>
      named.has(form),
    );
  expect(Object.keys(environment.shape).filter((name) => !isNamed(name))).toEqual([]);
});
