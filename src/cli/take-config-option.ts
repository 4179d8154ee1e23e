// `--config <file>`, which works with every command and also before it.
import { lexArgv, type Token } from './lex-argv.ts'

export function takeConfigOption(argv: readonly string[]): { argv: string[]; configPath: string | undefined } {
  const found = lexArgv(argv, { config: { value: 'file' } }).find(isConfig)
  if (!found) return { argv: [...argv], configPath: undefined }
  return { argv: argv.toSpliced(found.index, found.isInline ? 1 : 2), configPath: found.value }
}

function isConfig(token: Token): token is Token & { kind: 'option' } {
  return token.kind === 'option' && token.name === 'config'
}
