import { expect, it } from "vitest";
import { createSnippet } from "./createSnippet.ts";

it("C10-96 has no text besides the origin and an address", () => {
  expect(createSnippet("https://launch.example", "0x00000000000000000000000000000000000000Aa")).toBe(
    '<iframe src="https://launch.example/embed/0x00000000000000000000000000000000000000aa" title="Token chart" ' +
      'width="100%" height="320" style="border:0" loading="lazy" referrerpolicy="no-referrer"></iframe>',
  );
  expect(() => createSnippet("https://launch.example", '0x"><script>')).toThrow("not an address");
});
