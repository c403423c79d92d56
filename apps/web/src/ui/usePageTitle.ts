import { useEffect } from "react";

/** Sets the title of the browser's tab: `title · Slipway`. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Slipway`;
  }, [title]);
}
