// `--config <file>`, which works with every command and also before it.

export function takeConfigOption(argv: readonly string[]): { argv: string[]; configPath: string | undefined } {
  const end = beforeTerminator(argv).length
  const at = argv.findIndex((word, index) => index < end && (word === '--config' || word.startsWith('--config=')))
  if (at === -1) return { argv: [...argv], configPath: undefined }
  const isInline = argv[at] !== '--config'
  const configPath = isInline ? argv[at]!.slice('--config='.length) : argv[at + 1]
  return { argv: argv.toSpliced(at, isInline ? 1 : 2), configPath }
}

/** Words after `--` are nobody's options. */
export function beforeTerminator(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}
