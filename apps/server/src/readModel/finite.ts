/** A number that JSON can say, or null: what is not finite is unknown. */
export function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}
