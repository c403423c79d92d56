import { type ComponentType, type ReactNode, useEffect, useRef, useState } from "react";
import { ErrorBoundary } from "./errorBoundary.tsx";
import { ErrorNote } from "./errorNote.tsx";
import { importFile } from "./importFile.ts";

type LazyProps = {
  /** Shown while the file loads. */
  fallback?: ReactNode;
  /** Replaces the default note for a file that could not be loaded. */
  renderError?: (retry: () => void) => ReactNode;
};

/** Whether the service answers: a reload without an answer would show the browser's own error page. */
const isServiceReachable = () =>
  new Promise<boolean>((resolve) => {
    const picture = new Image();
    picture.onload = () => resolve(true);
    picture.onerror = () => resolve(false);
    picture.src = `/icon.svg?${Date.now()}`;
  });

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
  let isPage = false;
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
    const hasFailed = useRef(false);
    useEffect(() => {
      if (error !== null || Part !== null) return;
      let isGone = false;
      // A separate task for each part: the imports of a dozen parts in one task would block the page.
      const started = new Promise((resolve) => setTimeout(resolve));
      started.then(loadPart).then(
        (part) => {
          if (!isGone) setPart(() => part);
        },
        async (reason: unknown) => {
          // Browsers cache the failed import of a file that this file imports; a new document starts without that cache.
          // Only for a page: a reload would interrupt what the user does beside a part.
          const needsReload = isPage && hasFailed.current && (await isServiceReachable());
          if (isGone) return;
          hasFailed.current = true;
          if (needsReload) window.location.reload();
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

  /** Loads the file of a page before the router shows it; never rejects. After a failure, the shown page loads it again. */
  LazyPart.preload = async (): Promise<void> => {
    isPage = true;
    await loadPart().catch(() => {});
  };
  return LazyPart;
}
