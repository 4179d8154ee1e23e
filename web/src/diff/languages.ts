// Which grammar colours a file, by its name. The languages agents write most; others stay plain.
import { refractor } from 'refractor'
import docker from 'refractor/docker'
import jsx from 'refractor/jsx'
import toml from 'refractor/toml'
import tsx from 'refractor/tsx'

for (const grammar of [jsx, tsx, docker, toml]) refractor.register(grammar)

/** Where the extension is not the grammar's own name or alias. */
const ENDINGS: Readonly<Record<string, string>> = {
  mjs: 'javascript',
  cjs: 'javascript',
  mts: 'typescript',
  cts: 'typescript',
  h: 'c',
  cc: 'cpp',
  hpp: 'cpp',
  htm: 'html',
  sh: 'bash',
  zsh: 'bash',
  yml: 'yaml',
  jsonc: 'json',
  vue: 'html',
}

/** null: it is shown without colours. */
export function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  if (/^(dockerfile|containerfile)/.test(name)) return 'docker'
  if (name === 'makefile') return 'makefile'
  const ending = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : ''
  const language = ENDINGS[ending] ?? ending
  return language !== '' && refractor.registered(language) ? language : null
}

export function highlight(text: string, language: string) {
  return refractor.highlight(text, language).children
}
