import { startIndexer } from "../indexer/startIndexer.ts"; // violation: http, ws: must not import
import { first } from "./cycle.ts"; // violation: part of a cycle

export const second = first;
export const used = [startIndexer];
