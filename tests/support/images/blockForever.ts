/** Blocks the process like an endless loop, but takes no CPU time from the other tests. */
export function blockForever(): never {
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
