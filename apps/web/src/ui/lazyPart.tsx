import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { ErrorNote } from "./errorNote.tsx";
import { importFile } from "./importFile.ts";

/**
 * A part of a page that is loaded when it is shown. When its file cannot be loaded, the part says so and can be tried again:
 * the rest of the page stays. It tries by itself when the network is back.
 */
export function lazyPart<Module, Props extends object>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
) {
  let loaded: ComponentType<Props> | null = null;
  // biome-ignore lint/correctness/noComponentHookFactories: called once a module, as React.lazy is
  return function LazyPart({ fallback = null, ...props }: Props & { fallback?: ReactNode }) {
    const [Part, setPart] = useState<ComponentType<Props> | null>(() => loaded);
    const [error, setError] = useState<unknown>(null);
    useEffect(() => {
      if (error !== null) return;
      let isGone = false;
      importFile(load).then(
        (module) => {
          loaded = pick(module);
          if (!isGone) setPart(() => loaded);
        },
        (reason: unknown) => {
          if (!isGone) setError(reason);
        },
      );
      return () => {
        isGone = true;
      };
    }, [error]);
    const retry = () => setError(null);
    useEffect(() => {
      if (error === null) return;
      window.addEventListener("online", retry);
      return () => window.removeEventListener("online", retry);
    });
    if (Part !== null) return <Part {...(props as unknown as Props)} />;
    if (error === null) return fallback;
    return <ErrorNote error={error} onRetry={retry} className="m-4" />;
  };
}
