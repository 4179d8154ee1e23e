// The agent owns the workspace that the file is written into, and may put anything there first.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { writeMessageFile } from './write-message-file.ts'

let root: string
let workspace: string
let outside: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ao-message-file-'))
  workspace = join(root, 'workspace')
  outside = join(root, 'outside')
  mkdirSync(workspace)
  mkdirSync(outside)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** The user's own checkout is another directory, also where the agent links to it. */
const place = () => ({ path: workspace, ownCheckout: join(root, 'project') })
const file = (id: string) => join(workspace, '.ao', 'messages', `${id}.md`)

it('writes the whole text where only the user can read it, and a second time in place of the first', () => {
  writeMessageFile(place(), 'm-1', 'first')
  writeMessageFile(place(), 'm-1', 'x'.repeat(300_000))
  expect(readFileSync(file('m-1'), 'utf8')).toBe('x'.repeat(300_000))
  expect(statSync(file('m-1')).mode & 0o777).toBe(0o600)
})

it('keeps a bounded number of messages, and everything that is not one', () => {
  mkdirSync(join(workspace, '.ao', 'messages'), { recursive: true })
  writeFileSync(join(workspace, '.ao', 'messages', 'notes.txt'), 'mine')
  for (let n = 0; n < 60; n++) writeMessageFile(place(), `m-${n}`, 'text')
  expect(readdirSync(join(workspace, '.ao', 'messages'))).toHaveLength(51)
  expect(existsSync(file('m-59'))).toBe(true)
  expect(existsSync(join(workspace, '.ao', 'messages', 'notes.txt'))).toBe(true)
})

it('reaches the user’s own checkout through a link', () => {
  mkdirSync(join(outside, '.git'))
  symlinkSync(outside, join(root, 'link'))
  const path = join(root, 'link')
  writeMessageFile({ path, ownCheckout: path }, 'm-1', 'text')
  expect(existsSync(join(outside, '.ao', 'messages', 'm-1.md'))).toBe(true)
})

it.each([
  [
    'the workspace itself is a link to another one',
    () => {
      rmSync(workspace, { recursive: true })
      symlinkSync(outside, workspace)
    },
  ],
  [
    'the workspace itself is a link to a checkout of the user',
    () => {
      rmSync(workspace, { recursive: true })
      mkdirSync(join(root, 'project', '.git'), { recursive: true })
      symlinkSync(join(root, 'project'), workspace)
    },
  ],
  ['.ao is a link out of the workspace', () => symlinkSync(outside, join(workspace, '.ao'))],
  [
    '.ao/messages is a link out of the workspace',
    () => {
      mkdirSync(join(workspace, '.ao'))
      symlinkSync(outside, join(workspace, '.ao', 'messages'))
    },
  ],
  [
    '.ao/messages is a file',
    () => {
      mkdirSync(join(workspace, '.ao'))
      writeFileSync(join(workspace, '.ao', 'messages'), '')
    },
  ],
  ['a directory has the name of the file', () => mkdirSync(join(file('m-1'), 'x'), { recursive: true })],
])('refuses when %s, and writes nothing elsewhere', (_what, prepare) => {
  prepare()
  expect(() => writeMessageFile(place(), 'm-1', 'secret')).toThrow(/too long to be typed/)
  expect(readdirSync(outside)).toEqual([])
  expect(existsSync(join(root, 'project', '.ao'))).toBe(false)
})

it('replaces a link that has the name of the file, and leaves its target alone', () => {
  mkdirSync(join(workspace, '.ao', 'messages'), { recursive: true })
  writeFileSync(join(outside, 'victim'), 'untouched')
  symlinkSync(join(outside, 'victim'), file('m-1'))
  writeMessageFile(place(), 'm-1', 'text')
  expect(readFileSync(file('m-1'), 'utf8')).toBe('text')
  expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('untouched')
})

it('never leaves the workspace by a name', () => {
  writeMessageFile(place(), '../../../outside/x', 'text')
  expect(readdirSync(outside)).toEqual([])
  expect(readdirSync(join(workspace, '.ao', 'messages'))).toHaveLength(1)
})
