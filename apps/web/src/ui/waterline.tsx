/** Three waves along the lower edge of the container: the site's only ornament. */
export function Waterline() {
  const wave = (y: number, rise: number) =>
    `M0 ${y}c60 0 60 ${-rise} 120 ${-rise}s60 ${rise} 120 ${rise}s60 ${-rise} 120 ${-rise}s60 ${rise} 120 ${rise}`;
  return (
    <svg
      aria-hidden="true"
      className="pointer-events-none absolute inset-x-0 bottom-0 h-14 w-full text-accent"
      preserveAspectRatio="none"
    >
      <defs>
        <pattern id="waterline" width={480} height={56} patternUnits="userSpaceOnUse">
          <path d={`${wave(44, 7)}V56H0z`} fill="currentColor" opacity={0.07} />
          <path d={`${wave(50, -6)}V56H0z`} fill="currentColor" opacity={0.09} />
          <path d={wave(44, 7)} fill="none" stroke="currentColor" opacity={0.3} />
        </pattern>
      </defs>
      <rect width="100%" height="100%" fill="url(#waterline)" />
    </svg>
  );
}
