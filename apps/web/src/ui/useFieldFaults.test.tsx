// @vitest-environment happy-dom
import { ApiError } from "@slipway/sdk/apiError";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { noFaults, readRefusedField, type ShownFaults, useFieldFaults, withoutField } from "./useFieldFaults.ts";

let root: Root;
let shown: ShownFaults;

function Form() {
  shown = useFieldFaults();
  return (
    <form ref={shown.form}>
      {["name", "symbol"].map((field) => (
        <input key={field} id={field} aria-invalid={shown.faults.has(field) ? true : undefined} />
      ))}
      <button type="button" id="send" />
    </form>
  );
}

beforeEach(async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const element = document.body.appendChild(document.createElement("div"));
  root = createRoot(element);
  await act(async () => root.render(<Form />));
});
afterEach(async () => {
  await act(async () => root.unmount());
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

const show = (...fields: string[]) =>
  act(async () => shown.show(new Map(fields.map((field) => [field, "must not be empty"]))));

test("the first invalid field has the focus after each check", async () => {
  document.getElementById("send")!.focus();
  await show("symbol");
  expect(document.activeElement!.id).toBe("symbol");
  await show("name", "symbol");
  expect(document.activeElement!.id).toBe("name");
  document.getElementById("send")!.focus();
  await show("name", "symbol");
  expect(document.activeElement!.id).toBe("name");
});

test("an edited field loses its error and the focus stays", async () => {
  await show("name", "symbol");
  document.getElementById("symbol")!.focus();
  await act(async () => shown.update((faults) => withoutField(faults, "symbol")));
  expect([...shown.faults.keys()]).toEqual(["name"]);
  expect(document.activeElement!.id).toBe("symbol");
});

test("a check without faults leaves the focus at the button", async () => {
  document.getElementById("send")!.focus();
  await act(async () => shown.show(noFaults));
  expect(document.activeElement!.id).toBe("send");
});

test("a refused field is a path of the form", () => {
  const error = new ApiError({
    code: "invalid_fields",
    message: "is no address",
    status: 422,
    requestId: null,
    retryable: false,
    retryAfterSeconds: null,
    field: "recipients[0].wallet",
  });
  expect([...readRefusedField(error)]).toEqual([["recipients.0.wallet", "is no address"]]);
  expect(readRefusedField(new Error("failed")).size).toBe(0);
});
