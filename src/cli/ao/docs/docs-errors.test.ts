import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ERROR_TABLE } from '../../../contract/errors.ts'
import { renderErrors } from './docs-errors.ts'

it('docs/errors.md is what the table says; write it again with: node dist/ao.js __docs errors > docs/errors.md', () => {
  const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')
  expect(page).toBe(renderErrors())
})

it('explains for every code what happened, its exit code and its HTTP status', () => {
  const lines = renderErrors().split('\n')
  for (const [code, { exit, http }] of Object.entries(ERROR_TABLE)) {
    const start = `- \`${code}\` (${exit}/${http}) `
    expect(lines.find((one) => one.startsWith(start))?.slice(start.length), code).toMatch(/^\S.{10}/)
  }
})
