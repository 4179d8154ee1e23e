// Attributes can call a text binary, and then a diff says no more than that it differs. Whoever reviews sees the text, and that it was
// to be hidden.

const HIDDEN = /^Binary files .* differ$/m
const NOTE = 'marked as binary by git attributes'

/** `asText`: the same diff with everything as text; null: it is too large. */
export async function showHiddenText(diff: string, asText: () => Promise<string | null>): Promise<string> {
  const files = split(diff)
  if (!files.some(isHidden)) return diff
  const text = await asText()
  const texts = text === null ? [] : split(text)
  if (texts.length !== files.length) return diff
  return files.map((file, index) => (isHidden(file) ? (reveal(texts[index]!) ?? file) : file)).join('')
}

function split(diff: string): string[] {
  return diff.split(/^(?=diff --git )/m)
}

function isHidden(file: string): boolean {
  return HIDDEN.test(file) && !/^@@ /m.test(file)
}

/** null: what git itself takes for binary. */
function reveal(file: string): string | null {
  return file.includes('\0') ? null : file.replace(/^(?=--- )/m, `${NOTE}\n`)
}
