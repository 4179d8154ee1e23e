// What both sides wrote, read from a file with conflict markers as git leaves it in a merged tree. Pure.

export interface ConflictHunk {
  a: string
  b: string
}

const MOST_HUNKS = 10
const LONGEST_SIDE = 2_000

/** Markers are seven characters, followed by a space and a label; a text that merely contains them is not confused. */
export function readConflictHunks(text: string): ConflictHunk[] {
  const hunks: ConflictHunk[] = []
  let side: 'a' | 'b' | null = null
  let lines = { a: [] as string[], b: [] as string[] }
  for (const line of text.split('\n')) {
    if (side === null && line.startsWith('<<<<<<< ')) {
      side = 'a'
      lines = { a: [], b: [] }
    } else if (side === 'a' && line.trimEnd() === '=======') {
      side = 'b'
    } else if (side === 'b' && line.startsWith('>>>>>>> ')) {
      hunks.push({ a: cut(lines.a), b: cut(lines.b) })
      side = null
      if (hunks.length === MOST_HUNKS) break
    } else if (side !== null) {
      lines[side].push(line)
    }
  }
  return hunks
}

function cut(lines: string[]): string {
  return oneSide(lines.join('\n'), LONGEST_SIDE)
}

/** At most this much of what one side wrote. */
export function oneSide(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}\n…`
}
