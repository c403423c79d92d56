import { useSyncExternalStore } from "react";

/** Whether a media query matches. Only for parts that a class cannot hide, e.g. parts that send requests. */
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
