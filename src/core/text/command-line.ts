// Splits a command line into words, quotes a word for one, and shortens words for people. Pure.

/**
 * Quotes and backslashes work as in a shell, and nothing else does: no variables, no globs, no pipes. null: an unclosed
 * quote.
 */
export function splitCommand(line: string): string[] | null {
  const argv: string[] = []
  let word: string | null = null
  let quote: '"' | "'" | null = null
  for (let index = 0; index < line.length; index++) {
    const char = line[index]!
    if (quote === null && /\s/.test(char)) {
      if (word !== null) argv.push(word)
      word = null
    } else if (quote === null && (char === '"' || char === "'")) {
      quote = char
      word ??= ''
    } else if (char === quote) quote = null
    else if (char === '\\' && quote !== "'" && index + 1 < line.length) word = (word ?? '') + line[++index]
    else word = (word ?? '') + char
  }
  if (quote !== null) return null
  return word === null ? argv : [...argv, word]
}

/** One word for a shell, whatever it contains. Single quotes mean the same in sh, bash, zsh and fish. */
export function quoteForShell(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** For people and the history: a prompt of many kilobytes already has a file of its own. */
export function shortCommand(command: readonly string[]): string[] {
  return command.map((argument) => (argument.length > 200 ? `${argument.slice(0, 200)}…` : argument))
}
