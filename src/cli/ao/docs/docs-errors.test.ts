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
    const line = lines.find((one) => one.startsWith(`| \`${code}\``)) ?? ''
    const [, meaning, ...numbers] = line.split(' | ')
    expect(meaning, code).toMatch(/^\S.{10}/)
    expect(numbers.slice(0, 2), code).toEqual([`${exit}`, `${http}`])
  }
})
