// @vitest-environment happy-dom
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from "@tanstack/react-router";
import { act, type ReactNode, useState } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ErrorBoundary, PageCrash } from "./errorBoundary.tsx";
import { lazyPart } from "./lazyPart.tsx";

const root = { unmount: () => {} };
const broken = { isBroken: true };

function Review() {
  return <p>review</p>;
}

function BrokenReview() {
  if (broken.isBroken) throw new Error("broken");
  return <p>review</p>;
}

function Frame() {
  return (
    <>
      <header>Slipway</header>
      <Outlet />
    </>
  );
}

/** Returns an import that succeeds at the second attempt. */
const createLoad = () =>
  vi
    .fn<() => Promise<{ Review: () => ReactNode }>>()
    .mockRejectedValueOnce(new TypeError("no network"))
    .mockResolvedValue({ Review });

/** Acts, and waits for the parts that start to load in a task of their own. */
async function actAndLoad(action: () => void): Promise<void> {
  await act(async () => action());
  await act(() => new Promise((resolve) => setTimeout(resolve)));
}

async function show(node: ReactNode): Promise<HTMLElement> {
  const element = document.body.appendChild(document.createElement("div"));
  const created = createRoot(element);
  root.unmount = () => created.unmount();
  await actAndLoad(() => created.render(node));
  return element;
}
const getButton = (element: HTMLElement, name: string) =>
  [...element.querySelectorAll("button")].find(({ textContent }) => textContent === name)!;
const press = (element: HTMLElement, name: string) => actAndLoad(() => getButton(element, name).click());

/** A trade box around the part; its count represents a trade in progress. */
function TradeBox({ children }: { children: ReactNode }) {
  const [sent, setSent] = useState(0);
  return (
    <section>
      <button type="button" onClick={() => setSent(sent + 1)}>
        Send
      </button>
      <p>sent {sent}</p>
      {children}
    </section>
  );
}

beforeEach(() => {
  broken.isBroken = true;
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(async () => {
  await act(async () => root.unmount());
  document.body.replaceChildren();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("a lazy part", () => {
  test("whose file can't be loaded shows a note, keeps the trade around it, and loads after a retry", async () => {
    const LazyReview = lazyPart(createLoad(), (module) => module.Review);
    const element = await show(
      <TradeBox>
        <LazyReview />
      </TradeBox>,
    );
    await press(element, "Send");
    expect(element.textContent).toContain("Can't reach the service");
    expect(element.textContent).toContain("sent 1");
    await press(element, "Try again");
    expect(element.textContent).toContain("review");
    expect(element.textContent).toContain("sent 1");
  });

  test("tries again by itself when the network is back", async () => {
    const LazyReview = lazyPart(createLoad(), (module) => module.Review);
    const element = await show(<LazyReview />);
    await actAndLoad(() => void window.dispatchEvent(new Event("online")));
    expect(element.textContent).toContain("review");
  });

  test("that throws while rendering shows a note, and the trade around it continues", async () => {
    const LazyReview = lazyPart(
      async () => ({ BrokenReview }),
      (module) => module.BrokenReview,
    );
    const element = await show(
      <TradeBox>
        <LazyReview />
      </TradeBox>,
    );
    await press(element, "Send");
    expect(element.textContent).toContain("Something went wrong");
    expect(element.textContent).toContain("sent 1");
    broken.isBroken = false;
    await press(element, "Try again");
    expect(element.textContent).toContain("review");
    expect(element.textContent).toContain("sent 1");
  });
});

describe("a page", () => {
  test("that throws while rendering keeps the header, and renders after a retry", async () => {
    const rootRoute = createRootRoute({ component: Frame });
    const page = createRoute({ getParentRoute: () => rootRoute, path: "/", component: BrokenReview });
    const router = createRouter({
      routeTree: rootRoute.addChildren([page]),
      history: createMemoryHistory(),
      defaultErrorComponent: PageCrash,
    });
    await router.load();
    const element = await show(<RouterProvider router={router as never} />);
    expect(element.querySelector("header")?.textContent).toBe("Slipway");
    expect(element.textContent).toContain("Something went wrong");
    broken.isBroken = false;
    await press(element, "Try again");
    expect(element.textContent).toContain("review");
  });
});

test("the app shows a note if its frame throws", async () => {
  const element = await show(
    <ErrorBoundary>
      <BrokenReview />
    </ErrorBoundary>,
  );
  expect(element.textContent).toContain("Something went wrong");
});
