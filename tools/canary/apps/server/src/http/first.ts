import { second } from "./second.ts"; // violation: part of a cycle

export const first = second;
