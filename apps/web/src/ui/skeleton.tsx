/** The placeholder of loading content, in its final size, so that the layout does not shift. */
export const Skeleton = ({ className = "h-4 w-24" }: { className?: string }) => (
  <span aria-hidden="true" className={`block max-w-full rounded-sm bg-line/60 ${className}`} />
);
