// Paths as git prints and reads them without -z: in C quotes when they contain unusual bytes. File names need not be UTF-8,
// so paths are passed from one git command to the next in this form and decoded only to access the file itself.

const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 }

export function prefixQuoted(prefix: string, path: string): string {
  return path.startsWith('"') ? `"${prefix}${path.slice(1)}` : `${prefix}${path}`
}

/** null: the path does not start with it. */
export function withoutPrefix(prefix: string, path: string): string | null {
  const quoted = path.startsWith('"')
  const plain = quoted ? path.slice(1) : path
  if (!plain.startsWith(prefix)) return null
  return quoted ? `"${plain.slice(prefix.length)}` : plain.slice(prefix.length)
}

/** The bytes of the file's name. */
export function unquotePath(path: string): Buffer {
  if (!path.startsWith('"')) return Buffer.from(path, 'utf8')
  const parts: Buffer[] = []
  for (const [piece] of path.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]+/gs)) parts.push(decodePiece(piece))
  return Buffer.concat(parts)
}

function decodePiece(piece: string): Buffer {
  if (!piece.startsWith('\\')) return Buffer.from(piece, 'utf8')
  const code = piece.length === 4 ? Number.parseInt(piece.slice(1), 8) : ESCAPES[piece[1]!]
  if (code === undefined) throw new Error(`Unknown escape in a path of git: ${piece}`)
  return Buffer.from([code])
}
