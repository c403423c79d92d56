import { buildApp } from "../http/app.ts"; // violation: jobs: must not import
import { startIndexer } from "../indexer/startIndexer.ts"; // violation: jobs: must not import

export const used = [buildApp, startIndexer];
