/** The place of something that is loading, in its final size: nothing moves when it arrives. */
export const Skeleton = ({ className = "h-4 w-24" }: { className?: string }) => (
  <span aria-hidden="true" className={`block max-w-full rounded-sm bg-line/60 ${className}`} />
);
