import { expect, test } from "vitest";
import { getImageUrl } from "./getImageUrl.ts";

test("C10-10 a token's picture is the processed one, never a URL that the creator chose", () => {
  const url = "https://media.slipway.example/media/ab/64.webp";
  expect(getImageUrl({ image: { urls: { 64: url } }, image_url: "https://evil.example/pixel.png" }, 64)).toBe(url);
  for (const token of [
    { image_url: "https://evil.example/pixel.png" },
    { image: "https://evil.example/pixel.png" },
    { image: null },
    { image: {} },
    { image: { urls: { 64: {} } } },
  ]) {
    expect(getImageUrl(token, 64)).toBeNull();
  }
});
