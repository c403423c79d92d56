let attempts = 0;

/**
 * Imports a file of the site, and asks once more when that fails: by another address each time, since browsers remember of
 * an address that it was no module, so that no later import of it succeeds. The site's content security policy permits
 * files of its own origin alone.
 *
 * @param load - The import, which the build must see as it stands.
 */
export async function importFile<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const file = /http\S+?js/.exec(String(error))?.[0];
    if (!file) throw error;
    return (await import(/* @vite-ignore */ `${file}?${++attempts}`)) as Module;
  }
}
