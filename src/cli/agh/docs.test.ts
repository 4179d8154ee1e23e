import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allRoutes } from '../../agh/daemon/routes.ts'
import { loadGroups } from '../command-table.ts'
import { COMMANDS } from './commands.ts'
import { renderReference } from './docs.ts'

const DOCS = join(import.meta.dirname, '..', '..', '..', 'docs')
const routes = allRoutes(async () => ({}))

describe('the documentation of agh', () => {
  it('docs/agh-reference.md is what the tables say; write it again with: node dist/agh.js __docs > docs/agh-reference.md', async () => {
    const file = readFileSync(join(DOCS, 'agh-reference.md'), 'utf8')
    expect(file).toBe(renderReference(await loadGroups(COMMANDS), routes))
  })

  it('docs/agh.md names commands and routes that exist', () => {
    const text = readFileSync(join(DOCS, 'agh.md'), 'utf8')
    const names = COMMANDS.map(({ name }) => name)
    for (const [line] of text.matchAll(/^agh [a-z].*$/gm)) {
      expect(
        names.some((name) => line === `agh ${name}` || line.startsWith(`agh ${name} `)),
        line,
      ).toBe(true)
    }
    const known = routes.map(({ method, path }) => `${method} ${path}`)
    for (const [, route] of text.matchAll(/`((?:GET|POST|PATCH|DELETE) \/api[^`\s?]*)/g)) expect(known).toContain(route)
  })
})
