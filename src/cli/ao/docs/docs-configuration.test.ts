import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { configJsonSchema } from '../../../config/config-schema.ts'
import { renderConfiguration } from './docs-configuration.ts'

it('S0.90 docs/configuration.md is what the schema says; write it again with: node dist/ao.js __docs configuration > docs/configuration.md', () => {
  const page = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8')
  expect(page).toBe(renderConfiguration(configJsonSchema()))
})

it('S0.84 the documentation advises short descriptive prefixes that are not commands', () => {
  expect(renderConfiguration(configJsonSchema())).toMatch(
    /sessionPrefix.* of 2 to 4 characters that describes[\s\S]*not\nthe name of a common command/,
  )
})
