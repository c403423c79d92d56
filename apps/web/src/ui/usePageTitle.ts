import { useEffect } from "react";

/** Names the page in the browser's tab: `title · Slipway`. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Slipway`;
  }, [title]);
}
