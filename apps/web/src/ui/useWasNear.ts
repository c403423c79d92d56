import { type RefObject, useEffect, useRef, useState } from "react";

/**
 * Watches whether an element was near the window at any time, so that a part of a long page reads its data only then.
 *
 * @returns the ref of the element, and true from the first time that the element is at most one window's height away
 */
export function useWasNear<T extends Element>(): { element: RefObject<T | null>; wasNear: boolean } {
  const element = useRef<T>(null);
  const [wasNear, setWasNear] = useState(false);
  useEffect(() => {
    if (wasNear || element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setWasNear(true);
      },
      { rootMargin: "100%" },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [wasNear]);
  return { element, wasNear };
}
