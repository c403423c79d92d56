import { second } from "./sideways.ts"; // violation: part of a cycle

export const first = second;
