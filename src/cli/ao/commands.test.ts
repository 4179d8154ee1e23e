import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadGroups } from '../command-table.ts'
import { COMMANDS } from './commands.ts'
import { renderDocs } from './docs/docs.ts'

const loaded = await Promise.all(COMMANDS.map(async (entry) => ({ entry, command: await entry.load() })))

describe('the table of commands', () => {
  it.each(loaded)('$entry.name: its definition bears the same name', ({ entry, command }) => {
    expect(command.name).toBe(entry.name)
  })

  it.each(loaded)('$entry.name: about is one line without a full stop', ({ command }) => {
    expect(command.about).toMatch(/^[A-Z][^\n]*[^.\n]$/)
    expect(command.about.length).toBeLessThan(90)
  })

  it.each(loaded)('$entry.name: short options are unique and not -h', ({ command }) => {
    const shorts = Object.values(command.options as Record<string, { short?: string }>).flatMap(
      ({ short }) => short ?? [],
    )
    expect(new Set([...shorts, 'h']).size).toBe(shorts.length + 1)
  })

  it.each(loaded)(
    '$entry.name: only the last argument is variadic, and none is required after an optional one',
    ({ command }) => {
      const specs = Object.values(command.args as Record<string, { variadic?: true; required?: true }>)
      expect(specs.slice(0, -1).some(({ variadic }) => variadic)).toBe(false)
      const firstOptional = specs.findIndex(({ required }) => !required)
      expect(firstOptional !== -1 && specs.slice(firstOptional).some(({ required }) => required)).toBe(false)
    },
  )

  it.each(loaded.filter(({ command }) => 'json' in command.options))(
    '$entry.name: the shape of its JSON is documented',
    ({ command }) => {
      expect(command.json).toBeTruthy()
    },
  )
})

describe('docs/commands.md', () => {
  const file = join(import.meta.dirname, '..', '..', '..', 'docs', 'commands.md')

  it('is what the table says; write it again with: node dist/ao.js __docs > docs/commands.md', async () => {
    expect(readFileSync(file, 'utf8')).toBe(renderDocs(await loadGroups(COMMANDS)))
  })

  it('S0.84 advises descriptive prefixes of 2 to 4 characters', () => {
    expect(readFileSync(file, 'utf8')).toMatch(/prefixes of 2 to 4 characters/)
  })
})
