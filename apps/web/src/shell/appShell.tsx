import { Outlet } from "@tanstack/react-router";
import { useMessages } from "../messages/useMessages.ts";
import { SiteFooter } from "./siteFooter.tsx";
import { SiteHeader } from "./siteHeader.tsx";

/** The frame of every page: header with navigation, main, footer. */
export function AppShell() {
  const { shell } = useMessages();
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#main"
        className="sr-only rounded-sm bg-accent px-4 py-2 text-on-accent focus:not-sr-only focus:absolute focus:z-10"
      >
        {shell.skip}
      </a>
      <SiteHeader />
      <main id="main" tabIndex={-1} className="min-w-0 flex-1 outline-none">
        <Outlet />
      </main>
      <SiteFooter />
    </div>
  );
}
