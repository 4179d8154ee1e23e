import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLog, silentLog } from '../../lib/log.ts'
import { seedAccount, seedAccountFile } from './account-file.ts'

const key = 'sk-0123456789abcdefghijklmnopqrstuvwxyz'
const wanted = { workspacePaths: ['/w/a', '/private/w/a'], apiKey: key }

describe('what the account file must say', () => {
  it('adds every seed to an empty one', () => {
    expect(seedAccount({}, wanted)).toEqual({
      hasCompletedOnboarding: true,
      hasSeenAutoDefaultNudge: true,
      hasSeenAutoModeEntryWarning: true,
      projects: { '/w/a': { hasTrustDialogAccepted: true }, '/private/w/a': { hasTrustDialogAccepted: true } },
      customApiKeyResponses: { approved: [key.slice(-20)] },
    })
  })

  it('keeps everything else, in its order', () => {
    const account = {
      oauthAccount: { a: 1 },
      projects: { '/other': { x: [1] }, '/w/a': { history: ['h'], hasTrustDialogAccepted: false } },
      customApiKeyResponses: { approved: ['old'], rejected: ['bad'] },
      zzz: null,
    }
    const seeded = seedAccount(account, wanted)!
    expect(Object.keys(seeded).slice(0, 4)).toEqual(['oauthAccount', 'projects', 'customApiKeyResponses', 'zzz'])
    expect(seeded).toMatchObject({
      oauthAccount: { a: 1 },
      projects: { '/other': { x: [1] }, '/w/a': { history: ['h'], hasTrustDialogAccepted: true } },
      customApiKeyResponses: { approved: ['old', key.slice(-20)], rejected: ['bad'] },
    })
  })

  it('has nothing to do the second time', () => {
    expect(seedAccount(seedAccount({ a: 1 }, wanted)!, wanted)).toBeNull()
  })

  it('does not overrule a user who refused the key', () => {
    const account = { customApiKeyResponses: { rejected: [key.slice(-20)] } }
    expect(seedAccount(account, wanted)?.customApiKeyResponses).toEqual(account.customApiKeyResponses)
  })

  it('asks for no key when there is none', () => {
    expect(seedAccount({}, { ...wanted, apiKey: undefined })).not.toHaveProperty('customApiKeyResponses')
  })

  it('survives values of other kinds', () => {
    const seeded = seedAccount({ projects: 7, customApiKeyResponses: [] }, wanted)
    expect(seeded).toMatchObject({ projects: { '/w/a': { hasTrustDialogAccepted: true } } })
  })
})

let directory: string
let file: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'aot-seed-'))
  file = join(directory, '.claude.json')
})
afterEach(() => rmSync(directory, { recursive: true }))

const seeds = (path = '/w/a') => ({ workspacePaths: [path], apiKey: undefined })
const readJson = () => JSON.parse(readFileSync(file, 'utf8'))

describe("the user's account file", () => {
  it('is created when there is none, for the user alone', async () => {
    await seedAccountFile(file, seeds(), silentLog)
    expect(readJson().projects['/w/a'].hasTrustDialogAccepted).toBe(true)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(directory)).toEqual(['.claude.json'])
  })

  it('keeps its other content, its layout and its mode', async () => {
    const account = { numStartups: 7, tipsHistory: { a: 1 }, projects: { '/other': { lastCost: 0.1 } } }
    writeFileSync(file, `${JSON.stringify(account, null, 2)}\n`)
    chmodSync(file, 0o644)
    await seedAccountFile(file, seeds(), silentLog)
    expect(readJson()).toMatchObject(account)
    expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(readJson(), null, 2)}\n`)
    expect(statSync(file).mode & 0o777).toBe(0o644)
  })

  it('is not written again when everything is there', async () => {
    await seedAccountFile(file, seeds(), silentLog)
    const before = statSync(file)
    await seedAccountFile(file, seeds(), silentLog)
    expect(statSync(file)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs })
  })

  it.each(['{"a":1,', '[1]', 'null', '"text"'])(
    'is left alone, with a word about it, when it is %s',
    async (content) => {
      const lines: string[] = []
      writeFileSync(file, content)
      await seedAccountFile(
        file,
        seeds(),
        createLog('warn', (line) => lines.push(line)),
      )
      expect(readFileSync(file, 'utf8')).toBe(content)
      expect(lines.join('')).toContain(file)
    },
  )

  it('is written through a symbolic link, which stays one', async () => {
    const target = join(directory, 'dotfiles.json')
    writeFileSync(target, '{"a": 1}')
    symlinkSync(target, file)
    await seedAccountFile(file, seeds(), silentLog)
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(JSON.parse(readFileSync(target, 'utf8'))).toMatchObject({ a: 1, hasCompletedOnboarding: true })
  })

  it('loses nothing when many sessions are prepared at once, in several processes', async () => {
    writeFileSync(file, JSON.stringify({ keep: 'me' }))
    const script = `
      import { seedAccountFile } from ${JSON.stringify(join(import.meta.dirname, 'account-file.ts'))}
      const [file, from] = process.argv.slice(1)
      const log = { debug() {}, info() {}, warn() {}, error() {} }
      await Promise.all([0, 1, 2, 3, 4].map((n) =>
        seedAccountFile(file, { workspacePaths: ['/w/' + from + n], apiKey: undefined }, log)))`
    const runs = ['a', 'b', 'c'].map(
      (from) =>
        new Promise((resolve) => {
          const flags = ['--input-type=module', '--experimental-strip-types', '--no-warnings', '--eval', script]
          spawn(process.execPath, [...flags, file, from], { stdio: 'inherit' }).on('close', resolve)
        }),
    )
    expect(await Promise.all(runs)).toEqual([0, 0, 0])
    expect(Object.keys(readJson().projects)).toHaveLength(15)
    expect(readJson().keep).toBe('me')
    expect(readdirSync(directory)).toEqual(['.claude.json'])
  })

  it("waits while Claude holds its own lock, and does not break a dead one's", async () => {
    const lock = `${file}.lock`
    mkdirSync(lock)
    const seeding = seedAccountFile(file, seeds(), silentLog)
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(existsSync(file)).toBe(false)
    rmSync(lock, { recursive: true })
    await seeding
    expect(existsSync(file)).toBe(true)
    mkdirSync(lock)
    utimesSync(lock, new Date(0), new Date(0))
    await seedAccountFile(file, seeds('/w/b'), silentLog)
    expect(readJson().projects).toHaveProperty('/w/b')
    expect(existsSync(lock)).toBe(true)
  })
})
