import { useSyncExternalStore } from "react";

/** Whether a media query matches now. Only for what cannot be hidden by a class, e.g. a part that sends requests. */
export function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const list = matchMedia(query);
      list.addEventListener("change", onChange);
      return () => list.removeEventListener("change", onChange);
    },
    () => matchMedia(query).matches,
  );
}
