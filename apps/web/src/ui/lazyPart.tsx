import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { ErrorBoundary } from "./errorBoundary.tsx";
import { ErrorNote } from "./errorNote.tsx";
import { importFile } from "./importFile.ts";

type LazyProps = {
  /** Shown while the file loads. */
  fallback?: ReactNode;
  /** Replaces the default note for a file that could not be loaded. */
  renderError?: (retry: () => void) => ReactNode;
};

const waitForNetwork = () =>
  new Promise((resolve) => window.addEventListener("online", resolve, { once: true, passive: true }));

/**
 * Creates a component whose file loads when the component is shown. All lazy parts and pages of the site use it. If the
 * file can't be loaded, or the component throws, a note with a retry takes its place and the rest of the page stays.
 * The part tries again by itself when the network is back.
 *
 * @param loadTexts - Loads the texts that the part needs.
 */
export function lazyPart<Module, Props extends object>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
  loadTexts: () => Promise<void> = async () => {},
) {
  let loaded: ComponentType<Props> | null = null;
  let hasFailedOffline = false;
  const loadPart = async () => {
    if (loaded === null) {
      const [module] = await Promise.all([importFile(load), loadTexts()]);
      loaded = pick(module);
    }
    return loaded;
  };

  // biome-ignore lint/correctness/noComponentHookFactories: called once per module, like React.lazy
  function LazyPart({ fallback = null, renderError, ...props }: Props & LazyProps) {
    const [Part, setPart] = useState<ComponentType<Props> | null>(() => loaded);
    const [error, setError] = useState<unknown>(null);
    useEffect(() => {
      if (error !== null || Part !== null) return;
      let isGone = false;
      loadPart().then(
        (part) => {
          if (!isGone) setPart(() => part);
        },
        (reason: unknown) => {
          if (isGone) return;
          // Browsers cache the failed import of an offline attempt; a new document starts without that cache.
          if (hasFailedOffline && navigator.onLine) window.location.reload();
          else setError(reason);
        },
      );
      return () => {
        isGone = true;
      };
    }, [error, Part]);
    const retry = () => setError(null);
    useEffect(() => {
      if (error === null) return;
      window.addEventListener("online", retry);
      return () => window.removeEventListener("online", retry);
    });
    if (Part !== null) {
      return (
        <ErrorBoundary className="m-4">
          <Part {...(props as unknown as Props)} />
        </ErrorBoundary>
      );
    }
    if (error === null) return fallback;
    return renderError?.(retry) ?? <ErrorNote error={error} onRetry={retry} className="m-4" />;
  }

  /**
   * Loads the file before the part is shown; never rejects. Without a network it waits, so that the router keeps the
   * current page. The part then loads its file again.
   */
  LazyPart.preload = async (): Promise<void> => {
    try {
      await loadPart();
    } catch {
      if (navigator.onLine) return;
      hasFailedOffline = true;
      await waitForNetwork();
    }
  };
  return LazyPart;
}
