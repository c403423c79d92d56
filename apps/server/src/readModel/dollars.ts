/** Millionths of a dollar, as decimal text of the database, as a number of dollars; null stays null. */
export function dollars(micros: string | null): number | null {
  return micros === null ? null : Number(micros) / 1e6;
}
