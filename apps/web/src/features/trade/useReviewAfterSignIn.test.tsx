// @vitest-environment happy-dom
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TradeOrder } from "./tradeOrder.ts";
import { useReviewAfterSignIn } from "./useReviewAfterSignIn.ts";

type Current = Parameters<typeof useReviewAfterSignIn>[0];

const order: TradeOrder = { token: "0xaa", wallet: "0xbb", side: "buy", asset: "native", amount: "5", slippageBps: 50 };
const waiting: Current = { order, isReady: false, isRefused: false };
const ready: Current = { order, isReady: true, isRefused: false };
const refused: Current = { order, isReady: false, isRefused: true };

let root: Root;
let hook: ReturnType<typeof useReviewAfterSignIn>;
const openReview = vi.fn();

function Box(current: Current) {
  hook = useReviewAfterSignIn(current, openReview);
  return null;
}
const render = (current: Current) => act(async () => root.render(<Box {...current} />));

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  openReview.mockClear();
  root = createRoot(document.createElement("div"));
});
afterEach(async () => {
  await act(async () => root.unmount());
  vi.unstubAllGlobals();
});

/** Presses the button with one order, and ends the sign-in with another state. */
async function signIn(pressed: Current, ended: Current): Promise<void> {
  await render(pressed);
  hook.begin();
  await render(ended);
  hook.end();
}

test("the review of the pressed order opens once, with its quote", async () => {
  await signIn(waiting, waiting);
  await render(waiting);
  expect(openReview).not.toHaveBeenCalled();
  await render(ready);
  await render(waiting);
  await render(ready);
  expect(openReview).toHaveBeenCalledTimes(1);
});

test.each([
  ["another account signs in", { ...waiting, order: { ...order, wallet: "0xcc" } }],
  ["another amount is in the form", { ...waiting, order: { ...order, amount: "6" } }],
  ["the form has no order", { ...waiting, order: null }],
  ["the wallet has another network", refused],
])("no review opens when %s at the end of the sign-in", async (_, ended) => {
  await signIn(waiting, ended);
  for (const next of [{ ...ended, isReady: true, isRefused: false }, waiting, ready]) await render(next);
  expect(openReview).not.toHaveBeenCalled();
});

test.each([
  ["the order changes", { ...waiting, order: { ...order, amount: "6" } }],
  ["the account changes", { ...waiting, order: { ...order, wallet: "0xcc" } }],
  ["the quote is refused", refused],
])("no review opens later when %s before the quote arrives", async (_, changed) => {
  await signIn(waiting, waiting);
  for (const next of [changed, waiting, ready]) await render(next);
  expect(openReview).not.toHaveBeenCalled();
});
