import { describe, expect, it } from "vitest";
import { findRetiredWords } from "./checkWords.ts";

const glossary = `# Glossary

| \`cursor\` | a position in the outbox |

## Retired words

| word | use instead |
|---|---|
| \`\\bfrobnicat(e\\|es\\|ed)\\b\` | update |
| \`[A-Za-z]+Quux\\b\` | a field |

## Another section

| \`kept\` | no |
`;

describe("the gate of retired words", () => {
  it("names the place, the word and its replacement, in names, comments and texts", () => {
    const text = `const tokenQuux = 1;\n// It frobnicates and is frobnicated.\nlog("frobnicate");\n`;
    expect(findRetiredWords([{ path: "a.ts", text }], glossary)).toEqual([
      "a.ts:1: tokenQuux -> a field",
      "a.ts:2: frobnicates -> update",
      "a.ts:2: frobnicated -> update",
      "a.ts:3: frobnicate -> update",
    ]);
  });

  it("accepts other words, other cases and the words of other tables", () => {
    const text = "A cursor is kept. Frobnicate, frobnication, QuuxList.\n";
    expect(findRetiredWords([{ path: "a.md", text }], glossary)).toEqual([]);
  });

  it("fails without the table", () => {
    expect(() => findRetiredWords([], "# Glossary\n")).toThrow("no table of retired words");
  });
});
