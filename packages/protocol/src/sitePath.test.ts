import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sitePath } from "./accounts.ts";

const site = "https://site.example";
const isValid = (path: string) => sitePath.safeParse(path).success;

/** Texts of the characters that change the meaning of a path. */
const hostile = fc
  .array(
    fc.constantFrom(
      "/",
      "\\",
      ".",
      "..",
      "%2e",
      "%2F",
      "%5c",
      "?",
      "#",
      ":",
      "@",
      "host",
      "a",
      "-",
      "~",
      "\t",
      "\n",
      "é",
    ),
    {
      maxLength: 8,
    },
  )
  .map((parts) => `/${parts.join("")}`);

describe("C4-58 a path of the site", () => {
  it.each(["/", "/account/links", "/t/0xAbC?tab=trades&x=%2F%2Fa", "/a/", "/a.b/c-d#e", "/?next=//a.example"])(
    "may be %s",
    (path) => {
      expect(isValid(path)).toBe(true);
    },
  );

  it.each([
    ...["", "a", "//host", "/\\host", "\\\\host", "/.//host", "/..//host", "/./a", "/a/..", "/a/.", "/a//b"],
    ...[
      "/%2e//host",
      "/%2e%2e//host",
      "/a/%2E%2E/b",
      "/a%5cb",
      "/\t/host",
      "/a b",
      "/a\n",
      "https://host/",
      "/.well-known",
    ],
  ])("is not %j", (path) => {
    expect(isValid(path)).toBe(false);
  });

  it("is its own normal form, at this site only", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          hostile,
          fc.webPath(),
          fc.string().map((text) => `/${text}`),
        ),
        (path) => {
          if (!isValid(path)) return;
          const url = new URL(path, site);
          expect(url.origin).toBe(site);
          expect(url.href).toBe(`${site}${path}`);
          expect(url.pathname).not.toMatch(/\/\//);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
