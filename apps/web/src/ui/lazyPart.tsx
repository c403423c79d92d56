import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { ErrorNote } from "./errorNote.tsx";

/**
 * A part of a page that is loaded when it is shown. When its file cannot be loaded, the part says so and can be tried again:
 * the rest of the page stays. It tries by itself when the network is back.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | null = null;
  // biome-ignore lint/correctness/noComponentHookFactories: called once a module, as React.lazy is
  return function LazyPart({ fallback = null, ...props }: Props & { fallback?: ReactNode }) {
    const [Part, setPart] = useState<ComponentType<Props> | null>(() => loaded);
    const [error, setError] = useState<unknown>(null);
    const [attempt, setAttempt] = useState(0);
    // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt loads again
    useEffect(() => {
      let isGone = false;
      load().then(
        (part) => {
          loaded = part;
          if (!isGone) setPart(() => part);
        },
        (reason: unknown) => {
          if (!isGone) setError(reason);
        },
      );
      return () => {
        isGone = true;
      };
    }, [attempt]);
    useEffect(() => {
      if (error === null) return;
      const retry = () => {
        setError(null);
        setAttempt((count) => count + 1);
      };
      window.addEventListener("online", retry);
      return () => window.removeEventListener("online", retry);
    }, [error]);
    if (Part !== null) return <Part {...(props as unknown as Props)} />;
    if (error === null) return fallback;
    const retry = () => {
      setError(null);
      setAttempt(attempt + 1);
    };
    return <ErrorNote error={error} onRetry={retry} className="m-4" />;
  };
}
