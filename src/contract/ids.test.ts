import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { shownName } from './ids.ts'

describe('the name that people see', () => {
  it('S0.9 S1.23 is the session’s id, without the hash before it', () => {
    expect(shownName('a3b4c5d6e7f8-svc-1')).toBe('svc-1')
    expect(shownName('svc-1')).toBe('svc-1')
  })

  it('S0.9 no message of a runtime says a name with its hash', () => {
    const plugins = new URL('../plugins/', import.meta.url)
    const files = readdirSync(plugins, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.startsWith('runtime-') && file.endsWith('.ts') && !file.endsWith('.test.ts'),
    )
    const messages = files.flatMap((file) =>
      readFileSync(new URL(file, plugins), 'utf8')
        .split('\n')
        .filter((line) => /(?:new AoError\(|\bwhy: `|^\s*`[A-Z][a-z])/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )
    expect(messages.length).toBeGreaterThan(20)
    expect(messages.filter((line) => /\$\{(?:handle|launch)\.name\}/.test(line))).toEqual([])
  })
})
