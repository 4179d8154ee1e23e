// argv → words and options: the one lexer, for commands, completion, `--config`, `--json` and the `gh` facade. The only
// thing parseArgs of node:util does not support: a quoted sentence or a list that starts with a dash is text.
import { parseArgs } from 'node:util'

export interface LexedOption {
  short?: string | undefined
  /** It takes a value. */
  value?: unknown
}

export type Token =
  | { kind: 'word'; text: string; index: number }
  | { kind: 'option'; name: string; raw: string; value: string | undefined; isInline: boolean; index: number }
  | { kind: 'terminator'; index: number }

const OPTION = /^(?:--[A-Za-z][A-Za-z0-9-]*(?:=.*)?|-[A-Za-z]\S*)$/s

export function isOption(word: string): boolean {
  return OPTION.test(word)
}

/**
 * `index` is the position in argv. Judges nothing: unknown options are tokens like others, a missing value is undefined.
 */
export function lexArgv(argv: readonly string[], options: Record<string, LexedOption>): Token[] {
  const { tokens } = parseArgs({
    // A word that is not an option, whatever it looks like, is replaced by its position and put back below.
    args: argv.map((word, index) => (isOption(word) || word === '--' ? word : String(index))),
    options: Object.fromEntries(
      Object.entries(options).map(([name, { short, value }]) => [
        name,
        { type: value ? 'string' : 'boolean', ...(short ? { short } : {}) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  return tokens.map((token): Token => {
    if (token.kind === 'positional') return { kind: 'word', text: argv[token.index]!, index: token.index }
    if (token.kind === 'option-terminator') return { kind: 'terminator', index: token.index }
    const { name, rawName: raw, index } = token
    const isInline = token.inlineValue === true
    const value = token.value === undefined || isInline ? token.value : argv[index + 1]
    return { kind: 'option', name, raw, value, isInline, index }
  })
}

/** `--config <file>`, which works with every command and also before it. */
export function takeConfigOption(argv: readonly string[]): { argv: string[]; configPath: string | undefined } {
  const found = lexArgv(argv, { config: { value: 'file' } }).find(isConfig)
  if (!found) return { argv: [...argv], configPath: undefined }
  return { argv: argv.toSpliced(found.index, found.isInline ? 1 : 2), configPath: found.value }
}

function isConfig(token: Token): token is Token & { kind: 'option' } {
  return token.kind === 'option' && token.name === 'config'
}
