// A QR code in a terminal: two rows of it in each line. The light modules are drawn, because most terminals are dark; cameras read
// it the other way round too.

const QUIET = 2

/** Rows of 0 and 1; 1 is dark. */
export function qrLines(rows: readonly string[]): string[] {
  const width = (rows[0]?.length ?? 0) + 2 * QUIET
  const empty = Array.from({ length: QUIET }, () => '0'.repeat(width))
  const side = '0'.repeat(QUIET)
  const padded = [...empty, ...rows.map((row) => `${side}${row}${side}`), ...empty]
  const lines: string[] = []
  for (let index = 0; index < padded.length; index += 2) {
    const [upper, lower = ''] = padded.slice(index, index + 2) as [string, string?]
    lines.push([...upper].map((module, column) => BLOCKS[`${module}${lower[column] ?? '1'}`]).join(''))
  }
  return lines
}

const BLOCKS: Readonly<Record<string, string>> = { '00': '█', '01': '▀', '10': '▄', '11': ' ' }
