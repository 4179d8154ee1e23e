import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { dataHash } from '../../lib/process/own-home.ts'
import type { LocalForge } from '../types.ts'
import { pullNumber } from './pull-store.ts'

const context = { configDir: tmpdir(), dataDir: tmpdir() }
const forge = { project: { id: 'app' }, context } as unknown as LocalForge
const own = dataHash(context.configDir, context.dataDir)

describe('which pull request is meant', () => {
  it.each([
    ['7', 7],
    [' #7 ', 7],
    ['http://localhost:3000/projects/app/pull/7', 7],
    ['http://localhost:3999/projects/app/pull/7/?tab=files', 7],
    [`http://localhost:3000/r/${own}/projects/app/pull/7`, 7],
    ['http://localhost:3000/r/0123456789ab/projects/app/pull/7', null],
    ['http://localhost:3000/projects/other/pull/7', null],
    ['https://github.com/acme/app/pull/7', null],
    ['0', null],
    ['feat/7', null],
  ])('%s is %s', (reference, number) => {
    expect(pullNumber(forge, reference)).toBe(number)
  })
})
