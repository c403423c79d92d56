import { first } from "./first.ts"; // violation: part of a cycle

export const second = first;
