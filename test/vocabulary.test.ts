// Names in the code, and the phrases of its texts, against the lists at the end of CONTEXT.md.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSources } from './support/scan-source.ts'

const ROOT = join(import.meta.dirname, '..')
const ON_DISK: readonly string[] = ['told', 'setAside']

describe('CONTEXT.md', () => {
  const denied = deniedWords()
  const files = readSources(join(ROOT, 'src'))

  it('lists the words that no name uses', () => {
    expect(denied.size).toBeGreaterThan(10)
  })

  it('is followed by the name of every file', () => {
    expect(files.map(({ path }) => path).filter((path) => wordsOf(path).some((word) => denied.has(word)))).toEqual([])
  })

  it('is followed by every identifier', () => {
    const found = files.flatMap(({ path, bare }) =>
      [...new Set(bare.match(/[A-Za-z_$][\w$]*/g))]
        .filter((name) => isDenied(name, denied))
        .map((name) => `${path}: ${name}`),
    )
    expect(found).toEqual([])
  })

  it('is followed by every comment, message and document', () => {
    const phrases = deniedPhrases()
    expect(phrases.length).toBeGreaterThan(5)
    const texts = [
      ...files,
      ...readSources(join(ROOT, 'web/src')),
      ...DOCUMENTS.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })),
    ]
    const found = texts.flatMap(({ path, text }) =>
      phrases.filter((phrase) => new RegExp(`\\b${phrase}\\b`, 'i').test(text)).map((phrase) => `${path}: ${phrase}`),
    )
    expect(found).toEqual([])
  })
})

const DOCUMENTS: readonly string[] = [
  'README.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`),
]

function deniedPhrases(): string[] {
  const [, section = ''] = readFileSync(join(ROOT, 'CONTEXT.md'), 'utf8').split('## Never in a text')
  const [list = ''] = section.split('## Never in a name')
  return [...list.matchAll(/`([a-z ]+)`/g)].map(([, phrase]) => phrase!)
}

function deniedWords(): Set<string> {
  const [, section = ''] = readFileSync(join(ROOT, 'CONTEXT.md'), 'utf8').split('## Never in a name')
  const [, list = ''] = section.split('\n\n').filter((part) => part.trim() !== '')
  return new Set([...list.matchAll(/`(\w+)`/g)].map(([, word]) => word!))
}

function isDenied(name: string, denied: ReadonlySet<string>): boolean {
  if (ON_DISK.includes(name) || /look_?up/i.test(name)) return false
  return wordsOf(name).some((word) => denied.has(word))
}

/** Singular and lower case. */
function wordsOf(name: string): string[] {
  return name
    .split(/(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z]+/)
    .map((word) => word.toLowerCase())
    .flatMap((word) => [word, word.replace(/e?s$/, ''), word.replace(/s$/, '')])
}
