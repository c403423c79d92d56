import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { ErrorWithHeaders } from "../sendError.ts";
import { findHeadFault } from "./findHeadFault.ts";

type Head = { method?: string; version?: string; headers: [name: string, value: string][] };

const host: [string, string] = ["Host", "launch.example"];

function find({ method = "POST", version = "1.1", headers }: Head) {
  const [httpVersionMajor, httpVersionMinor] = version.split(".").map(Number);
  const request = { method, httpVersionMajor, httpVersionMinor, rawHeaders: headers.flat() };
  return findHeadFault(request as unknown as IncomingMessage);
}

describe("findHeadFault", () => {
  it.each<[string, Head]>([
    ["a browser's read", { method: "GET", headers: [host, ["Accept", "*/*"], ["Cookie", "a=b"], ["Cookie", "c=d"]] }],
    ["a JSON body", { headers: [host, ["content-type", "application/json"], ["Content-Length", "2"]] }],
    ["a charset that is UTF-8", { headers: [host, ["Content-Type", 'application/json; charset="UTF-8"; a=b']] }],
    ["a charset of a body that is never read", { method: "GET", headers: [host, ["Content-Type", "a/b; charset=x"]] }],
    ["chunks", { headers: [host, ["Transfer-Encoding", "Chunked"]] }],
    ["a known expectation", { headers: [host, ["Expect", "100-CONTINUE"]] }],
    ["HTTP/1.0 without a host", { version: "1.0", headers: [["Expect", "tea"]] }],
    ["unchecked fields of the same length", { headers: [host, ["Hoxx", "a"], ["Hoxx", "b"], ["Etag", "c"]] }],
    ["a host that is empty", { headers: [["host", ""]] }],
    ["an address of IPv6", { headers: [["HOST", "[2001:db8::1]:8080"]] }],
  ])("finds no fault in %s", (_, head) => {
    expect(find(head)).toBeNull();
  });

  it.each<[string, Head, string, string | undefined]>([
    ["no host", { headers: [] }, "invalid_request", "close"],
    ["two hosts", { headers: [host, ["hOST", "launch.example"]] }, "invalid_request", "close"],
    ["a host with a path", { headers: [["Host", "a/b"]] }, "invalid_request", "close"],
    ["a host with non-ASCII letters", { headers: [["Host", "b\u00fccher.example"]] }, "invalid_request", "close"],
    [
      "two credentials",
      { headers: [host, ["authorization", "a"], ["Authorization", "a"]] },
      "invalid_request",
      "close",
    ],
    ["HTTP/2.0", { version: "2.0", headers: [host] }, "invalid_request", "close"],
    ["chunks in HTTP/1.0", { version: "1.0", headers: [["Transfer-Encoding", "chunked"]] }, "invalid_request", "close"],
    ["compressed chunks", { headers: [host, ["Transfer-Encoding", "gzip, chunked"]] }, "invalid_request", "close"],
    ["an expectation", { headers: [host, ["Expect", "100-continue, tea"]] }, "expectation_failed", "close"],
    ["a compressed body", { headers: [host, ["Content-Encoding", "br"]] }, "unsupported_encoding", undefined],
    [
      "a second charset",
      { headers: [host, ["Content-Type", "a/b;charset=utf-8;charset=x"]] },
      "unsupported_encoding",
      undefined,
    ],
  ])("finds %s", (_, head, code, connection) => {
    const fault = find(head);
    expect(fault).toBeInstanceOf(ErrorWithHeaders);
    expect([fault?.code, (fault as ErrorWithHeaders).headers.connection]).toEqual([code, connection]);
  });

  it("reads a long Content-Type in one pass", () => {
    for (const value of [
      ";charset=".repeat(1_500),
      `a/b${"; charset ".repeat(1_500)}`,
      `;charset=${" ".repeat(15_000)}x`,
    ]) {
      expect(find({ headers: [host, ["Content-Type", value]] })?.code ?? null).toBeOneOf([
        null,
        "unsupported_encoding",
      ]);
    }
  }, 5_000);
});
