// Names in the code against the list at the end of CONTEXT.md.
import { readFileSync } from 'node:fs'
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
})

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
