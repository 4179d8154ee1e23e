// Suggestions in review comments: a block marked `suggestion` is what the lines of the comment should be replaced with. Pure.

export interface Suggestion {
  /** The new lines; none: the old ones are removed. */
  lines: string[]
  /** GitLab: how many lines before and after the comment's own are meant, `suggestion:-1+2`. */
  before: number
  after: number
}

export interface LineEdit {
  /** The first of the lines that are replaced. */
  from: number
  /** The last of them. */
  to: number
  lines: readonly string[]
}

const OPENING = /^ {0,3}(`{3,}|~{3,})\s*suggestion(?::-([0-9]{1,3})\+([0-9]{1,3}))?\s*$/

/** null: there is none, or more than one, so that it is not clear which is meant. */
export function readSuggestion(body: string): Suggestion | null {
  const found: Suggestion[] = []
  const lines = body.split(/\r?\n/)
  for (let at = 0; at < lines.length; at += 1) {
    const opening = OPENING.exec(lines[at]!)
    if (opening === null) continue
    const fence = opening[1]!
    const isEnd = (line: string) => line.trim().startsWith(fence) && line.trim().replaceAll(fence[0]!, '') === ''
    const end = lines.findIndex((line, index) => index > at && isEnd(line))
    // Without an end it is whatever follows: nobody meant that.
    if (end === -1) return null
    const [before, after] = [Number(opening[2] ?? 0), Number(opening[3] ?? 0)]
    found.push({ lines: lines.slice(at + 1, end), before, after })
    at = end
  }
  return found.length === 1 ? found[0]! : null
}

/** null: two of them are about the same lines, or one is about lines that the text does not have. */
export function applyEdits(text: string, edits: readonly LineEdit[]): string | null {
  const lines = text.split('\n')
  const count = lines.at(-1) === '' ? lines.length - 1 : lines.length
  const sorted = [...edits].sort((a, b) => a.from - b.from)
  let last = 0
  for (const { from, to } of sorted) {
    if (from <= last || to < from || to > count) return null
    last = to
  }
  for (const { from, to, lines: replacement } of sorted.reverse()) {
    // As the file ends its lines.
    const ending = lines[from - 1]!.endsWith('\r') ? '\r' : ''
    lines.splice(from - 1, to - from + 1, ...replacement.map((line) => `${line}${ending}`))
  }
  return lines.join('\n')
}
