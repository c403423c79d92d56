import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { createReadApp, type ReadApp } from "./readApp.ts";
import { type ReadDatabase, startReadDatabase } from "./readDatabase.ts";
import { clear } from "./rows.ts";

/** One PostgreSQL for a test file; every test begins with empty tables and a new server. */
export function useReadApp(): { readonly database: ReadDatabase; readonly read: ReadApp } {
  let database: ReadDatabase;
  let read: ReadApp;
  beforeAll(async () => {
    database = await startReadDatabase();
  });
  afterAll(() => database?.stop());
  beforeEach(async () => {
    await clear(database.db);
    read = await createReadApp(database.db);
  });
  afterEach(() => read?.app.close());
  return {
    get database() {
      return database;
    },
    get read() {
      return read;
    },
  };
}
