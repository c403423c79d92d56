const save = async (): Promise<void> => undefined;
const list = async (): Promise<number[]> => [];

export function forget(): void {
  save(); // violation: no-floating-promises
}

export async function misuse(): Promise<void> {
  if (list()) await save(); // violation: no-misused-promises
  throw "a text"; // violation: only-throw-error // violation: Throw
}

export const kind = (value: "a" | "b"): number => {
  switch (value) { // violation: switch-exhaustiveness-check
    case "a":
      return 1;
  }
  return 0;
};
