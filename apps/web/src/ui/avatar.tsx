type AvatarProps = {
  /** The address of a token or wallet, from which the mark is generated. */
  address: string;
  /** A processed picture of this service; never a URL that a creator chose, which would track visitors. */
  image?: string | null;
  size?: number;
  className?: string;
};

/** Derives two hues, an angle and a position from the address: stable, and different for most addresses. */
function toMark(address: string) {
  const bytes = [2, 4, 6, 8].map((at) => Number.parseInt(address.slice(at, at + 2), 16) || 0);
  const hue = (bytes[0]! / 256) * 360;
  return {
    back: `hsl(${Math.round(hue)} 42% 42%)`,
    front: `hsl(${Math.round((hue + 40 + (bytes[1]! / 256) * 140) % 360)} 58% 72%)`,
    turn: Math.round((bytes[2]! / 256) * 360),
    offset: 8 + Math.round((bytes[3]! / 256) * 12),
  };
}

/** A token's picture, or the mark of an address. Screen readers skip it, because the name stands beside it. */
export function Avatar({ address, image, size = 32, className = "" }: AvatarProps) {
  const classes = `shrink-0 rounded-full border border-line bg-sunken ${className}`;
  if (image)
    return <img src={image} alt="" width={size} height={size} loading="lazy" className={`object-cover ${classes}`} />;
  const { back, front, turn, offset } = toMark(address);
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 32 32" className={classes}>
      <circle cx={16} cy={16} r={16} fill={back} />
      <path d={`M-8 ${offset}H40V40H-8z`} fill={front} transform={`rotate(${turn} 16 16)`} />
    </svg>
  );
}
