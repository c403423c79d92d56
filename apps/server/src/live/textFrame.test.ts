import { expect, test } from "vitest";
import * as ws from "ws";
import { textFrame } from "./textFrame.ts";

/** The function with which `ws` frames a server's text; not in its types. */
const { Sender } = ws as unknown as {
  Sender: { frame(data: Buffer, options: Record<string, unknown>): Buffer[] };
};

test.each([0, 1, 125, 126, 127, 65_535, 65_536, 70_000])("frames a text of %i bytes as ws does", (length) => {
  const text = "x".repeat(length);
  const options = { fin: true, opcode: 1, mask: false, rsv1: false, readOnly: false };
  expect(textFrame(text)).toEqual(Buffer.concat(Sender.frame(Buffer.from(text), options)));
});

test("counts bytes, not characters", () => {
  const text = "ß€😀".repeat(20);
  expect(textFrame(text).subarray(4).toString("utf8")).toBe(text);
  expect(textFrame(text).readUInt16BE(2)).toBe(Buffer.byteLength(text));
});

test("C4-96 has memory of its own, not a part of a pool of many kilobytes", () => {
  const frames = ["", "x", "x".repeat(300), "x".repeat(40_000)].map(textFrame);
  for (const frame of frames) expect(frame.buffer.byteLength).toBe(frame.length);
});
