// A QR code, always dark on light with its quiet zone, so that every camera reads it.

/** Rows of 0 and 1; 1 is dark. */
export function QrPicture({ rows, label }: { rows: readonly string[]; label: string }) {
  const size = rows.length + 8
  const dark = rows.flatMap((row, y) =>
    [...row].flatMap((module, x) => (module === '1' ? `M${x + 4} ${y + 4}h1v1h-1z` : [])),
  )
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto w-full max-w-64 rounded-lg"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  )
}
