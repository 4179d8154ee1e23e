// Words of a command line: quotes group, a backslash escapes, nothing else means anything. No shell reads it.

export function splitCommand(line: string): string[] {
  const words: string[] = []
  let word: string | null = null
  let quote: '"' | "'" | null = null
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!
    if (char === '\\' && quote !== "'" && at + 1 < line.length) {
      word = (word ?? '') + line[++at]!
    } else if (quote !== null) {
      if (char === quote) quote = null
      else word += char
    } else if (char === '"' || char === "'") {
      quote = char
      word ??= ''
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word)
      word = null
    } else {
      word = (word ?? '') + char
    }
  }
  if (word !== null) words.push(word)
  return words
}
