import { useEffect } from "react";
import { toDisplayText } from "../format/displayText.ts";

/** Sets the title of the browser's tab: `title · Slipway`. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${toDisplayText(title)} · Slipway`;
  }, [title]);
}
