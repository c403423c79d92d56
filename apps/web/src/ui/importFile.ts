let attempts = 0;

/** Returns the URL of the file from the error of a failed import; null if the browser's message does not contain it. */
export const getFailedFile = (error: unknown): string | null => /https?:\S+\.js/.exec(String(error))?.[0] ?? null;

/**
 * Imports a file of the site, with one retry. Each retry uses a new URL, because browsers cache a failed import of a
 * URL. The content security policy permits only files of the site's own origin.
 *
 * @param load - The import expression, which must be literal for the bundler.
 */
export async function importFile<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const file = getFailedFile(error);
    if (file === null) throw error;
    return (await import(/* @vite-ignore */ `${file}?${++attempts}`)) as Module;
  }
}
